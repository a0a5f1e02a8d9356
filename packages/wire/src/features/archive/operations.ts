import * as z from "zod";
import { asTeam, inSession, retryable, Timestamp, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { describeBytes } from "../../text/describe-bytes.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: "SHA-256 in hexadecimal digits." });

const StoredObject = z.object({ key: z.string(), bytes: z.int(), sha256: Hash });

export const archiveSession = operation("archive_session", {
  unlisted: true,
  summary:
    "Move the messages and earlier document versions of a concluded session out of the database into a sealed bundle on the broker's object storage. unarchive_session brings them back.",
  input: z.strictObject({ ...inSession, ...asTeam, ...retryable }),
  output: z.object({
    session_id: Uuid,
    archived_at: Timestamp,
    archived_by: z.string(),
    bundle: StoredObject.meta({ description: "The file of merkle export, which merkle verify checks." }),
    rows: StoredObject.meta({ description: "The file that restores every row unchanged." }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ archived_at, archived_by, bundle, rows }) =>
    joinLines(
      `archived ${archived_at} by ${formatInlineName(archived_by)}`,
      describeObject("bundle", bundle),
      describeObject("rows", rows),
    ),
});

function describeObject(what: string, { key, bytes, sha256 }: z.output<typeof StoredObject>): string {
  return `${what}: ${formatInlineName(key)}, ${describeBytes(bytes)}, SHA-256 ${sha256}`;
}

export const unarchiveSession = operation("unarchive_session", {
  unlisted: true,
  summary: "Restore an archived session's messages and document versions to the database, unchanged.",
  input: z.strictObject({ ...inSession, ...asTeam, ...retryable }),
  output: z.object({
    session_id: Uuid,
    messages: z.int().meta({ description: "How many messages its feed has." }),
    left: z.array(z.string()).meta({ description: "Objects that could not be deleted from the storage." }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ messages, left }) =>
    joinLines(
      `${messages} messages are back`,
      ...left.map((key) => `still in the storage: ${formatInlineName(key)}`),
    ),
});
