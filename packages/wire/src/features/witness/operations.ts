import * as z from "zod";
import { asTeam, inSession, retryable, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines, quoteText } from "../../text/neutralise.js";
import { AuditKey, SignedHead } from "../seal/operations.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** The most characters of a note or a verifier key. */
const noteCharsMax = 20_000;
const keyCharsMax = 300;
const witnessesMax = 20;
const entriesMax = 1_000;

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: "SHA-256 in hexadecimal digits." });
const Size = z.int().min(0);
const Note = z.string().max(noteCharsMax);

export const WitnessPolicy = z
  .object({
    least: z.int().min(1).max(witnessesMax).meta({ description: "How many of the witnesses must cosign." }),
    witnesses: z.array(z.string().max(keyCharsMax)).min(1).max(witnessesMax).meta({
      description: "Their verifier keys, as `merkle witness key` prints them.",
    }),
  })
  .meta({ id: "WitnessPolicy" });

export const getCheckpoint = operation("get_checkpoint", {
  unlisted: true,
  summary:
    "Read the newest checkpoint of this mesh's log, with its cosignatures. Save it: with a later one, get_log_proof shows that the log only grew.",
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    note: z.string().meta({ description: "A signed note (C2SP tlog-checkpoint)." }),
    keys: z.array(AuditKey).meta({ description: "The broker's keys, the oldest first." }),
    policy: WitnessPolicy.nullable().meta({ description: "Who must cosign; null if nobody must." }),
    witnessed: z.string().nullable().meta({
      description: "The newest checkpoint that as many witnesses cosigned as the policy requires.",
    }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ note, witnessed }) =>
    joinLines(quoteText(note), witnessed === null && "no checkpoint is witnessed yet"),
});

export const getLogEntries = operation("get_log_entries", {
  unlisted: true,
  summary:
    "Read entries of this mesh's log: signed heads of its sessions, new keys, and where a restore began it.",
  input: z.strictObject({
    from: Size.meta({ description: "Index of the first entry." }),
    limit: z.int().min(1).max(entriesMax).default(entriesMax),
  }),
  output: z.object({
    size: Size.meta({ description: "How many entries the log has." }),
    entries: z.array(z.string()).meta({ description: "Canonical JSON, as it was hashed." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ size, entries }) => joinLines(...entries.map(quoteText), `entries in all: ${size}`),
});

export const getLogProof = operation("get_log_proof", {
  unlisted: true,
  summary: "Get the proof that this mesh's log of an earlier size is the beginning of a later one.",
  input: z.strictObject({ from_size: Size, size: Size, ...asTeam }),
  output: z.object({
    size: Size,
    consistency: z.object({
      from_size: Size,
      from_root: Hash,
      path: z.array(Hash).meta({ description: "RFC 9162, section 2.1.4." }),
    }),
  }),
  errors: ["unauthorized", "forbidden", "conflict"],
  compact: ({ size, consistency: { from_size, from_root, path } }) =>
    joinLines(
      `from root ${from_root} over ${from_size}`,
      ...path.map((each) => `with ${each}`),
      `to ${size}`,
    ),
});

export const getHeadProof = operation("get_head_proof", {
  unlisted: true,
  summary:
    "Get the proof that this mesh's log has the newest head of a session, or of its conclusion, under a witnessed checkpoint if there is one.",
  input: z.strictObject({
    ...inSession,
    sealed: z.boolean().default(false).meta({ description: "The head of the newest conclusion." }),
    ...asTeam,
  }),
  output: z.object({
    session_id: Uuid,
    head: SignedHead,
    proof: z.string().meta({ description: "A proof with its checkpoint (C2SP tlog-proof)." }),
    policy: WitnessPolicy.nullable(),
    witnessed: z.boolean().meta({
      description:
        "Whether as many witnesses cosigned this checkpoint as the policy requires. False without a policy.",
    }),
  }),
  errors: ["unauthorized", "not_found", "conflict"],
  compact: ({ proof, witnessed }) => joinLines(quoteText(proof), !witnessed && "not yet witnessed"),
});

export const addCosignature = operation("add_cosignature", {
  unlisted: true,
  summary: "Add a witness's cosignature to a checkpoint of this mesh's log.",
  input: z.strictObject({
    note: Note.meta({ description: "The checkpoint with the cosignature. Other signatures are ignored." }),
    ...retryable,
  }),
  output: z.object({
    size: Size,
    cosigned_by: z.array(z.string()).meta({ description: "Names of the witnesses that cosigned it so far." }),
    witnessed: z.boolean(),
  }),
  errors: ["unauthorized", "forbidden", "bad_request", "conflict"],
  compact: ({ size, cosigned_by, witnessed }) =>
    `size ${size}, cosigned by ${cosigned_by.map(formatInlineName).join(", ")}${witnessed ? "" : ", not yet witnessed"}`,
});

export const setWitnessPolicy = operation("set_witness_policy", {
  unlisted: true,
  summary:
    "Set which witnesses must cosign this mesh's log, and how many of them; null for none. For admins.",
  input: z.strictObject({ policy: WitnessPolicy.nullable(), ...asTeam, ...retryable }),
  output: z.object({
    policy: WitnessPolicy.nullable(),
    lies_withstood: z.int().nullable().meta({
      description:
        "How many lying witnesses it takes to be no danger: 2 · least − witnesses − 1. If negative, two histories can be cosigned although no witness lies.",
    }),
  }),
  errors: ["unauthorized", "forbidden", "bad_request"],
  compact: ({ policy, lies_withstood }) =>
    policy
      ? `${policy.least} of ${policy.witnesses.length} witnesses, withstands ${lies_withstood} lies`
      : "no witnesses",
});
