import * as z from "zod";
import { asTeam, inSession } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { exportFormats } from "./formats.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const exportSession = operation("export_session", {
  summary:
    "Download a session: as a bundle that can be verified, as a page that verifies itself, as a text to read, or its messages as lines.",
  input: z.strictObject({
    ...inSession,
    as: z.enum(exportFormats).default("bundle"),
    ...asTeam,
  }),
  output: z.unknown(),
  errors: ["unauthorized", "not_found"],
  compact: () => "",
});
