import * as z from "zod";
import { asTeam, inSession, Uuid } from "../core/values.js";
import { operation } from "./operation.js";

export const exportSession = operation("export_session", {
  summary:
    "Download a session: as a bundle that can be verified, as a page that verifies itself, as a text to read, or its messages as lines.",
  input: z.strictObject({
    ...inSession,
    as: z.enum(["bundle", "html", "md", "ndjson"]).default("bundle"),
    ...asTeam,
  }),
  output: z.unknown(),
  errors: ["unauthorized", "not_found"],
  compact: () => "",
});

/** The result of an import. */
export const Imported = z.object({
  session_id: Uuid.meta({ description: "The session's id here." }),
  slug: z.string(),
  title: z.string(),
  record_id: Uuid.meta({ description: "The id that its entries name." }),
  key_id: z.string().meta({
    description: "Id of the key that signed its head: a record is identified by its id and its keys.",
  }),
  size: z.int(),
  document_version: z.int(),
  added: z.int().meta({ description: "Number of new messages; 0 if it was already imported." }),
  root: z.string(),
  page: z.enum(["none", "known", "foreign"]).meta({
    description:
      "The page around the record of an HTML export: `known` if Merkle shipped it; what a `foreign` page shows was not signed.",
  }),
});
export type Imported = z.output<typeof Imported>;

export const importBundle = operation("import_bundle", {
  summary: "Import a session's bundle into this mesh as a read-only copy.",
  input: z.strictObject({}),
  output: Imported,
  errors: ["unauthorized", "forbidden", "conflict"],
  compact: ({ slug, page }) =>
    page === "foreign"
      ? `imported as ${slug}; the page around the record is not from Merkle`
      : `imported as ${slug}`,
});
