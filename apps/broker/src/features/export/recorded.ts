import {
  findKeptLeaves,
  listHeads,
  listImportFiles,
  type RecordExtent,
  type RecordedMessage,
  readRecordExtent,
} from "@merkle/db";
import { MerkleError, type Message } from "@merkle/wire";
import type { AuditKey, HeadAbout, SignedHead } from "@merkle/wire/record";
import { toMessage, withoutSealed } from "../../core/message.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { keysOf } from "../../identity/audit-key/audit-key.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SealServices } from "../seal/feature.js";
import { toSignedHead } from "../seal/feature.js";

export type ExportForm = "bundle" | "html" | "md" | "ndjson";

/** The parts of a session's record that an export needs besides the rows that it is made from. */
export interface Recorded extends RecordExtent {
  /** The head of the moment at which the export began; the last one of a damaged record, which nothing is signed of. */
  readonly head: SignedHead;
  /** Every head that was ever given out, this one last. */
  readonly heads: readonly SignedHead[];
  /** The keys that signed them, the oldest first. */
  readonly keys: readonly AuditKey[];
  /** The leaves of a tile that were kept, 32 bytes each, from its first on; of the last one those that a head was signed over. */
  leaves(log: "feed" | "document", tile: number): Promise<Uint8Array>;
  /** The broker's own key, and what it signs with it. */
  readonly keyId: string;
  sign(bytes: Uint8Array): string;
  /** The head over what is exported, and over what is said around it; of a damaged record the last one. */
  headAbout(about: HeadAbout): Promise<SignedHead>;
}

/**
 * Looks at a session's record as it is now (EXPORT-1). One that is damaged is exported all the same, with the last head that
 * was signed of it, for verification to find the damage by.
 *
 * @throws conflict for a damaged record of which nothing was ever signed, and for a bundle of a copy whose origin's files are not kept
 */
export async function openRecorded(
  services: SealServices,
  session: SessionIdentity,
  form: ExportForm,
): Promise<Recorded> {
  const { database, signer, records } = services;
  const { sessionId } = session;
  // Before the head of now: a later one, of an export beside this, would be over more than is here. What was signed of more
  // than there is now shows that something is missing.
  const earlier = await retryWhileLost(() => listHeads(database.orm, sessionId));
  const { head, extent, isWhole } = await retryWhileLost(() => readHead(services, session));
  if (
    (form === "bundle" || form === "html") &&
    extent.imported &&
    (await listImportFiles(database.orm, sessionId)).length === 0
  ) {
    throw withoutFiles(session.slug);
  }
  const others = earlier.map(toSignedHead).filter(({ signature }) => signature !== head.signature);
  return {
    ...extent,
    head,
    keys: await keysOf(services, sessionId),
    heads: [...others, head],
    leaves: (log, tile) => retryWhileLost(() => findKeptLeaves(database.orm, { sessionId, log }, tile)),
    keyId: signer.keys.at(-1)?.key_id ?? "",
    sign: (bytes) => signer.signBytes(bytes).signature,
    headAbout: async (about) =>
      isWhole ? retryWhileLost(() => records.headAbout(sessionId, head, about)) : head,
  };
}

async function readHead(
  { database, records }: SealServices,
  { sessionId, slug }: SessionIdentity,
): Promise<{ head: SignedHead; extent: RecordExtent; isWhole: boolean }> {
  try {
    const now = await records.headNow(sessionId);
    if (now) return { ...now, isWhole: true };
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "conflict") throw error;
    const last = (await listHeads(database.orm, sessionId)).at(-1);
    const extent = await readRecordExtent(database.orm, sessionId);
    if (!last || !extent) throw error;
    return { head: toSignedHead(last), extent, isWhole: false };
  }
  throw new MerkleError("not_found", `There is no session "${slug}".`);
}

function withoutFiles(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `"${slug}" was imported by an older version that did not keep its manifest, so it cannot be exported as a bundle. Import its bundle again, or export it as md or ndjson.`,
  );
}

/**
 * A message as it leaves the broker: named by the record's id, a private one as the stub that everybody sees. One whose
 * content is no JSON object was damaged where it lies: it is given as it is, for whoever verifies it to see.
 */
export function toRecordedMessage(row: RecordedMessage, recordId: string): Message {
  const stored = { ...row, session_id: recordId };
  if (isObject(parse(row.content))) return withoutSealed(toMessage(stored));
  return { ...toMessage({ ...stored, content: "{}" }), content: row.content as never }; // Not what the type says: damaged.
}

/** Whether somebody who is given this message can check its content against its hash. */
export function isWhole({ content }: Message): boolean {
  return !isObject(content) || (content["private"] !== true && content["redacted"] !== true);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tileLeaves = 256;
const hashBytes = 32;

/** The leaves of one log as its tiles have them, looked up from the first on. */
export interface StoredLeaves {
  /** The leaf of this entry, counted from 1; null where no tile has it. */
  find(number: number): Promise<Uint8Array | null>;
}

/** Keeps the one tile that is being read through. */
export function readStoredLeaves(recorded: Recorded, log: "feed" | "document"): StoredLeaves {
  let held: { readonly tile: number; readonly leaves: Uint8Array } | null = null;

  return {
    async find(number) {
      const tile = Math.floor((number - 1) / tileLeaves);
      if (held?.tile !== tile) held = { tile, leaves: await recorded.leaves(log, tile) };
      const start = ((number - 1) % tileLeaves) * hashBytes;
      return start < held.leaves.length ? held.leaves.subarray(start, start + hashBytes) : null;
    },
  };
}
