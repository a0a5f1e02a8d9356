import * as z from "zod";
import { Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** The result of importing a session. */
export const ImportResult = z.object({
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
export type ImportResult = z.output<typeof ImportResult>;

export const importBundle = operation("import_bundle", {
  summary: "Import a session's bundle into this mesh as a read-only copy.",
  input: z.strictObject({}),
  output: ImportResult,
  errors: ["unauthorized", "forbidden", "conflict"],
  compact: ({ slug, page }) =>
    page === "foreign"
      ? `imported as ${slug}; the page around the record is not from Merkle`
      : `imported as ${slug}`,
});
