import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, retryable, StorableText, Timestamp, textOfBytes, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/**
 * Id of an audit session. Any text is allowed, so that the caller can choose an id with which to find the
 * records again.
 */
const AuditSessionId = StorableText.min(1).max(limits.auditIdCharsMax);
const inAuditSession = {
  session_id: AuditSessionId.optional().meta({
    description:
      "An audit session, not a session with a feed (default: the last audit session that you started).",
  }),
};

const TaskId = StorableText.min(1).max(limits.auditIdCharsMax).meta({
  description: "What the records are about, free text; each task has its own chain.",
});

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: "SHA-256 in hexadecimal digits." });

export const ThoughtType = z.enum(["plan", "analysis", "decision", "reflection"]);

export const ThoughtRecord = z
  .object({
    id: Uuid,
    number: z.int().meta({ description: "Position in the order of the mesh's records." }),
    type: ThoughtType,
    task_id: z.string(),
    content: z.string(),
    timestamp: Timestamp,
    prev_hash: Hash.meta({
      description: "Hash of the task's previous record; 64 zeros for the first record.",
    }),
    hash: Hash.meta({
      description:
        "SHA-256 of the canonical JSON (RFC 8785) of id, type, task_id, content, timestamp and prev_hash.",
    }),
    session_id: z.string().nullable().meta({ description: "Its audit session, if it is in one." }),
    recorded_by: z.string(),
  })
  .meta({ id: "ThoughtRecord" });
export type ThoughtRecord = z.output<typeof ThoughtRecord>;

export const MerkleRoot = z
  .object({
    session_id: z.string(),
    root: Hash,
    record_count: z.int(),
    finalized_at: Timestamp,
  })
  .meta({ id: "MerkleRoot" });
export type MerkleRoot = z.output<typeof MerkleRoot>;

export const auditSessionStart = operation("audit_session_start", {
  summary:
    "Start an audit session: a record of how something was decided, sealed by merkle_finalize. It becomes the default of your other audit calls.",
  unlisted: ["session_id"],
  input: z.strictObject({
    intent: StorableText.min(1, { error: "intent must not be empty" })
      .max(limits.intentCharsMax)
      .meta({ description: "Purpose of the session." }),
    task_id: TaskId.optional(),
    session_id: AuditSessionId.optional().meta({ description: "A new id (default: a uuid)." }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    session_id: z.string(),
    intent: z.string(),
    task_id: z.string().nullable(),
    started_at: Timestamp,
  }),
  errors: ["unauthorized", "conflict", "ERR_SESSION_EXISTS"],
  compact: ({ session_id }) => `audit session ${session_id} started`,
});

const AuditSession = z
  .object({
    session_id: z.string(),
    intent: z.string(),
    task_id: z.string().nullable(),
    started_by: z.string().nullable().meta({ description: "The team, `team/peer` or person." }),
    started_at: Timestamp,
    record_count: z.int(),
    root: Hash.nullable().meta({ description: "Its root; null while it is open." }),
    finalized_at: Timestamp.nullable(),
  })
  .meta({ id: "AuditSession" });
export type AuditSession = z.output<typeof AuditSession>;

export const listAuditSessions = operation("list_audit_sessions", {
  summary: "List the audit sessions of the mesh, newest first.",
  unlisted: true,
  input: z.strictObject({
    session_id: AuditSessionId.optional().meta({ description: "Only this audit session." }),
    before: z.int().min(1).optional().meta({ description: "next_cursor of the last page." }),
    limit: z.int().min(1).max(limits.sessionsPageMax).default(limits.sessionsPageDefault),
    ...asTeam,
  }),
  output: z.object({ sessions: z.array(AuditSession), next_cursor: z.int().nullable() }),
  errors: ["unauthorized"],
  compact: ({ sessions, next_cursor }) =>
    joinLines(
      ...sessions.map(
        ({ session_id, intent, record_count, root }) =>
          `- ${formatInlineName(session_id)} ${record_count} records, ${root === null ? "open" : `root ${root}`}: ${intent}`,
      ),
      sessions.length === 0 && "no audit sessions",
      next_cursor !== null && `more: before ${next_cursor}`,
    ),
});

export const thoughtRecord = operation("thought_record", {
  summary:
    "Record a plan, a finding, a decision or a lesson, chained to the task's previous record. It cannot be changed.",
  input: z.strictObject({
    type: ThoughtType,
    content: textOfBytes(limits.thoughtBytesMax).refine((text) => text !== "", {
      error: "must not be empty",
    }),
    task_id: TaskId.optional().meta({ description: "Default: the audit session's task." }),
    ...inAuditSession,
    ...asTeam,
    ...retryable,
  }),
  output: ThoughtRecord,
  errors: ["unauthorized", "conflict", "ERR_SESSION_NOT_FOUND", "ERR_ALREADY_FINALIZED"],
  compact: ({ id, hash }) => `recorded ${id} hash ${hash}`,
});

export const thoughtRecordList = operation("thought_record_list", {
  summary: "List thought records of an audit session or a task, oldest first.",
  input: z.strictObject({
    task_id: TaskId.optional().meta({
      description: "Only records of this task, in all sessions if you name no session.",
    }),
    ...inAuditSession,
    after: z.int().min(0).default(0).meta({ description: "next_cursor of the last page." }),
    limit: z.int().min(1).max(limits.thoughtsPageMax).default(limits.thoughtsPageDefault),
    ...asTeam,
  }),
  output: z.object({ records: z.array(ThoughtRecord), next_cursor: z.int().nullable() }),
  errors: ["unauthorized", "ERR_SESSION_NOT_FOUND"],
  compact: ({ records, next_cursor }) =>
    joinLines(
      ...records.map(compactThought),
      records.length === 0 && "no records",
      next_cursor !== null && `more: after ${next_cursor}`,
    ),
});

export const auditVerifyChain = operation("audit_verify_chain", {
  summary:
    "Check that no thought record of a task, or of an audit session's tasks, was changed, removed or inserted.",
  input: z.strictObject({
    task_id: TaskId.optional().meta({ description: "Only this task's chain." }),
    ...inAuditSession,
    ...asTeam,
  }),
  output: z.object({
    valid: z.boolean(),
    task_count: z.int(),
    record_count: z.int().meta({ description: "How many records were checked, up to the broken one." }),
    broken_at: z
      .object({
        id: Uuid,
        number: z.int(),
        task_id: z.string(),
        problem: z.enum(["hash", "prev_hash"]).meta({
          description: "Its content does not match its hash, or it does not follow the previous record.",
        }),
      })
      .nullable()
      .meta({ description: "The first wrong record." }),
    root_matches: z.boolean().nullable().meta({
      description: "Whether a finalized session has exactly the records that it was finalized with.",
    }),
  }),
  errors: ["unauthorized", "ERR_SESSION_NOT_FOUND"],
  compact: ({ valid, task_count, record_count, broken_at: broken, root_matches }) =>
    joinLines(
      `${valid ? "valid" : "NOT VALID"}: ${record_count} records in ${task_count} tasks checked`,
      broken &&
        `broken at #${broken.number} ${broken.id} (${broken.problem}) of ${formatInlineName(broken.task_id)}`,
      root_matches === false && "the records differ from the finalized records",
    ),
});

export const merkleFinalize = operation("merkle_finalize", {
  summary:
    "Permanently seal an audit session with the Merkle root of its records. Nothing can be recorded afterwards.",
  input: z.strictObject({ ...inAuditSession, ...asTeam, ...retryable }),
  output: MerkleRoot,
  errors: ["unauthorized", "conflict", "ERR_SESSION_NOT_FOUND", "ERR_ALREADY_FINALIZED", "ERR_NO_RECORDS"],
  compact: compactRoot,
});

export const merkleRootOf = operation("merkle_root", {
  summary: "Read the root that an audit session was sealed with.",
  input: z.strictObject({ ...inAuditSession, ...asTeam }),
  output: MerkleRoot,
  errors: ["unauthorized", "ERR_NOT_FINALIZED"],
  compact: compactRoot,
});

export const merkleProofOf = operation("merkle_proof", {
  summary: "Get the proof that an audit session was sealed with a record.",
  input: z.strictObject({
    record_id: Uuid.meta({ description: "The thought record's id." }),
    ...inAuditSession,
    ...asTeam,
  }),
  output: z.object({
    session_id: z.string(),
    record_id: Uuid,
    hash: Hash.meta({ description: "Hash of the record, which is the leaf itself." }),
    root: Hash,
    proof: z.array(Hash).meta({
      description: "From the leaf up: hash the two together, the smaller first; the last is the root.",
    }),
  }),
  errors: ["unauthorized", "not_found", "conflict", "ERR_NOT_FINALIZED"],
  compact: ({ hash, root, proof }) =>
    joinLines(`leaf ${hash}`, ...proof.map((each) => `with ${each}`), `root ${root}`),
});

function compactRoot({ session_id, root, record_count, finalized_at }: MerkleRoot): string {
  return `root ${root} over ${record_count} records of ${session_id}, ${finalized_at}`;
}

function compactThought({
  number,
  id,
  type,
  task_id,
  timestamp,
  recorded_by,
  content,
}: ThoughtRecord): string {
  const who = formatInlineName(recorded_by);
  return `#${number} ${id} ${type} of ${formatInlineName(task_id)} (${who}, ${timestamp}) ${content}`;
}
