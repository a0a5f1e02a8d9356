import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, Epoch, inSession, Sequence, Timestamp, Uuid, Version } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { joinLines } from "../../text/neutralise.js";
import { formatSealSummary } from "../../text/seal-text.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: "SHA-256 in hexadecimal digits." });

const KeyId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ description: "The first 32 hexadecimal digits of the key's SHA-256." });

const RecordId = Uuid.meta({
  description: "Id in the entries: the session's id, or that of its origin if it was imported.",
});

const Size = z.int().min(0);

/** A statement about a record's size and content, signed by the broker (SEAL-1). */
export const SignedHead = z
  .object({
    epoch: Epoch,
    session_id: RecordId,
    size: Size.meta({ description: "How many messages." }),
    root: Hash.meta({ description: "Root over the messages, by RFC 9162." }),
    document: z.object({
      version: Version,
      hash: Hash.nullable().meta({ description: "Hash of that version's salt and text." }),
      root: Hash.meta({ description: "Over all versions up to it." }),
    }),
    about: z.object({ session: Hash, roster: Hash, state: Hash }).optional().meta({
      description:
        "Hash of title, description, status, times, participants and state, as in a bundle; not in heads of format 1.",
    }),
    at: Timestamp,
    key_id: KeyId,
    signature: z.string().meta({ description: "ed25519, 64 bytes in base64url." }),
  })
  .meta({ id: "SignedHead" });

export const AuditKey = z
  .object({
    key_id: KeyId,
    public_key: z.string().meta({ description: "ed25519, 32 bytes in base64url." }),
    since: Timestamp,
    previous: KeyId.nullable().meta({ description: "The key that it replaced." }),
    succession: z.string().nullable().meta({ description: "That key's signature for it, in base64url." }),
  })
  .meta({ id: "AuditKey" });

export const sessionSeal = operation("session_seal", {
  summary:
    "Read the signed head of a session's record, and the seals of its conclusions. Save it: with a later head, session_proof shows that nothing earlier was changed.",
  input: z.strictObject({ ...inSession, ...asTeam }),
  output: z.object({
    session_id: Uuid,
    concluded: z.boolean(),
    head: SignedHead.meta({ description: "The current head; unchanged until something is added." }),
    seals: z
      .array(SignedHead)
      .meta({ description: `Of conclusions, the newest first; at most ${limits.sealsListedMax}.` }),
    keys: z.array(AuditKey).meta({ description: "The keys of the signatures, the oldest first." }),
  }),
  errors: ["unauthorized", "not_found", "conflict"],
  compact: ({ head, seals }) =>
    joinLines(
      `${head.size} messages, root ${head.root}`,
      `document v${head.document.version}, root ${head.document.root}`,
      `signed by ${head.key_id}, ${head.at}: ${head.signature}`,
      ...seals.map((seal) => `${formatSealSummary(seal)}, ${seal.at}`),
      seals.length === 0 && "not concluded yet",
    ),
});

export const sessionProof = operation("session_proof", {
  summary:
    "Get the proof that a message or a version is in a session's record, or that the record of an earlier head is the beginning of a later one.",
  input: z.strictObject({
    ...inSession,
    sequence: Sequence.min(1).optional().meta({ description: "Message to prove." }),
    document_version: Version.min(1).optional().meta({ description: "Document version to prove instead." }),
    log: z.enum(["feed", "document"]).optional().meta({
      description:
        "What the two sizes count: messages, or versions of the document (default: what is proved, otherwise feed).",
    }),
    size: Size.optional().meta({ description: "Size of the tree under the root (default: everything)." }),
    from_size: Size.optional().meta({ description: "Size of the tree under an earlier root." }),
    ...asTeam,
  }),
  output: z.object({
    session_id: Uuid,
    record_id: RecordId,
    log: z.enum(["feed", "document"]),
    size: Size,
    root: Hash,
    head: SignedHead.nullable().meta({
      description: "Signed head of exactly this size; null if none was issued.",
    }),
    inclusion: z
      .object({
        log: z.enum(["feed", "document"]),
        number: z.int().meta({ description: "The message's sequence, or the document's version." }),
        entry: z.record(z.string(), z.unknown()).meta({
          description: "Its leaf is SHA-256 of a zero byte and the canonical JSON (RFC 8785) of this.",
        }),
        content: z
          .string()
          .nullable()
          .meta({ description: "As it was hashed; null for a redacted version." }),
        salt: z.string().nullable().meta({
          description:
            "content_hash is SHA-256 of these bytes and the content; null where it is redacted or private.",
        }),
        leaf: Hash,
        path: z.array(Hash).meta({ description: "RFC 9162, section 2.1.3." }),
      })
      .nullable(),
    consistency: z
      .object({
        from_size: Size,
        from_root: Hash,
        path: z.array(Hash).meta({ description: "RFC 9162, section 2.1.4." }),
      })
      .nullable(),
  }),
  errors: ["unauthorized", "not_found", "conflict"],
  compact: ({ size, root, inclusion, consistency }) =>
    joinLines(
      inclusion && `leaf ${inclusion.leaf} of ${inclusion.log} ${inclusion.number}`,
      ...(inclusion?.path ?? []).map((each) => `with ${each}`),
      consistency && `from root ${consistency.from_root} over ${consistency.from_size}`,
      ...(consistency?.path ?? []).map((each) => `with ${each}`),
      `root ${root} over ${size}`,
    ),
});
