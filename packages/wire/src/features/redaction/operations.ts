import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, inSession, Reason, retryable, Sequence, Version } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const Versions = z
  .strictObject({ from: Version.min(1), to: Version.min(1) })
  .refine(({ from, to }) => from <= to, { error: "from must not be above to" })
  .refine(({ from, to }) => to - from < limits.redactedVersionsMax, {
    error: `at most ${limits.redactedVersionsMax} versions at once`,
  });

export const redactMessage = operation("redact_message", {
  summary:
    "Permanently remove the text of your own message, or of your team's document versions; everyone is notified. It cannot undo what others have read. Humans can remove anyone's text.",
  input: z
    .strictObject({
      ...inSession,
      sequence: Sequence.min(1).optional().meta({ description: "The message's number." }),
      document_versions: Versions.optional().meta({
        description: "Or versions of the document, older than the newest.",
      }),
      reason: Reason.optional().meta({ description: "Reason, visible to everyone." }),
      ...asTeam,
      ...retryable,
    })
    .refine(
      ({ sequence, document_versions }) => (sequence === undefined) !== (document_versions === undefined),
      { error: "name either sequence or document_versions" },
    ),
  output: z.object({
    redacted: z.int().meta({ description: "How many texts this call removed." }),
    sequence: Sequence.nullable().meta({ description: "The event in the feed." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ redacted, sequence }) =>
    redacted === 0 ? "it was removed before" : `removed, as #${sequence} says`,
});
