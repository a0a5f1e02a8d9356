import {
  findKeptLeaves,
  listHeads,
  listImportFiles,
  type RecordExtent,
  type RecordedMessage,
  readRecordExtent,
} from "@merkle/db";
import { type ExportFormat, isObject, MerkleError, type Message } from "@merkle/wire";
import type { AuditKey, HeadAbout, SignedHead } from "@merkle/wire/record";
import { toMessage, withoutSealed } from "../../core/message.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { readAuditKeysOfSession } from "../../identity/audit-key/audit-key.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SealServices } from "../seal/feature.js";
import { toSignedHead } from "../seal/feature.js";

/** The parts of a session's record that an export needs in addition to its rows. */
export interface ExportedRecord extends RecordExtent {
  /**
   * The head that was signed when the export began. A damaged record is never signed again, so the last head
   * signed before the damage was found is used.
   */
  readonly head: SignedHead;
  /** All heads ever issued, ending with `head`. */
  readonly heads: readonly SignedHead[];
  /** The keys that signed the heads, oldest first. */
  readonly keys: readonly AuditKey[];
  /**
   * Returns the stored leaves of a tile, 32 bytes each, from its first leaf. In the last tile, only leaves
   * covered by a signed head are stored.
   */
  readLeaves(log: "feed" | "document", tile: number): Promise<Uint8Array>;
  /** Id of the broker's current key, which `sign` uses. */
  readonly keyId: string;
  sign(bytes: Uint8Array): string;
  /**
   * Returns a head that covers the exported record and the session's current facts. For a damaged record,
   * returns the last head that was signed.
   */
  refreshHead(about: HeadAbout): Promise<SignedHead>;
}

/**
 * Opens a session's record as it is now (EXPORT-1). A damaged record is exported too, with the last head signed
 * for it, so that verification can find the damage.
 *
 * @throws conflict for a damaged record that was never signed, and if an imported copy is to be exported as a
 * bundle but its original files were not kept
 */
export async function openRecord(
  services: SealServices,
  session: SessionIdentity,
  format: ExportFormat,
): Promise<ExportedRecord> {
  const { database, signer, records } = services;
  const { sessionId } = session;
  // The earlier heads must be read before the current head. Otherwise a concurrent export could add a later
  // head that covers more than this export. An earlier head that covers more than the current record proves
  // that entries are missing.
  const earlier = await retryWhileLost(() => listHeads(database.orm, sessionId));
  const { head, extent, isWhole } = await retryWhileLost(() => readHead(services, session));
  if (
    (format === "bundle" || format === "html") &&
    extent.imported &&
    (await listImportFiles(database.orm, sessionId)).length === 0
  ) {
    throw withoutFiles(session.slug);
  }
  const earlierHeads = earlier.map(toSignedHead).filter(({ signature }) => signature !== head.signature);
  return {
    ...extent,
    head,
    keys: await readAuditKeysOfSession(services, sessionId),
    heads: [...earlierHeads, head],
    readLeaves: (log, tile) => retryWhileLost(() => findKeptLeaves(database.orm, { sessionId, log }, tile)),
    keyId: signer.keys.at(-1)?.key_id ?? "",
    sign: (bytes) => signer.signBytes(bytes).signature,
    refreshHead: async (about) =>
      isWhole ? retryWhileLost(() => records.refreshHead(sessionId, head, about)) : head,
  };
}

async function readHead(
  { database, records }: SealServices,
  { sessionId, slug }: SessionIdentity,
): Promise<{ head: SignedHead; extent: RecordExtent; isWhole: boolean }> {
  try {
    const now = await records.findCurrentHead(sessionId);
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
 * Returns a message in the form in which it is exported: with the record's id, and reduced to its public stub
 * if it is private. Content that is not a JSON object was damaged in the database. Such content is exported
 * unchanged, so that verification can detect the damage.
 */
export function toRecordedMessage(row: RecordedMessage, recordId: string): Message {
  const stored = { ...row, session_id: recordId };
  if (isObject(parse(row.content))) return withoutSealed(toMessage(stored));
  return { ...toMessage({ ...stored, content: "{}" }), content: row.content as never }; // Damaged content does not match the type.
}

/** Returns whether readers of this message can check its content against its hash. */
export function isWhole({ content }: Message): boolean {
  return !isObject(content) || (content["private"] !== true && content["redacted"] !== true);
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

/** The stored leaves of one log, which must be read in ascending order. */
export interface StoredLeaves {
  /** Returns the leaf of an entry, counted from 1, or null if no tile contains it. */
  find(number: number): Promise<Uint8Array | null>;
}

/** Creates a reader of stored leaves. It caches only the tile that is being read. */
export function readStoredLeaves(recorded: ExportedRecord, log: "feed" | "document"): StoredLeaves {
  let cached: { readonly tile: number; readonly leaves: Uint8Array } | null = null;

  return {
    async find(number) {
      const tile = Math.floor((number - 1) / tileLeaves);
      if (cached?.tile !== tile) cached = { tile, leaves: await recorded.readLeaves(log, tile) };
      const start = ((number - 1) % tileLeaves) * hashBytes;
      return start < cached.leaves.length ? cached.leaves.subarray(start, start + hashBytes) : null;
    },
  };
}
