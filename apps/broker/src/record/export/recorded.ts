import { findKeptLeaves, listHeads, listImportFiles, type RecordExtent, readRecordExtent } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { AuditKey, HeadAbout, SignedHead } from "@merkle/wire/record";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { keysOf } from "../keys-of.js";
import type { RecordServices } from "../services.js";
import { toSignedHead } from "../signed-head.js";
import type { ExportForm } from "./export-session.js";

/** What an export needs of a session's record besides the rows that it is made from. */
export interface Recorded extends RecordExtent {
  /** Of the moment at which the export began; of a damaged record, which nothing is signed of, the last one. */
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
  services: RecordServices,
  session: SessionIdentity,
  form: ExportForm,
): Promise<Recorded> {
  const { database, signer, records } = services;
  const { sessionId } = session;
  // Before the head of now: a later one, of an export beside this, would be over more than is here. What was signed of more
  // than there is now shows that something is missing.
  const earlier = await retryWhileLost(() => listHeads(database.orm, sessionId));
  const { head, extent, isWhole } = await retryWhileLost(() => readHead(services, session));
  if (form === "bundle" && extent.imported && (await listImportFiles(database.orm, sessionId)).length === 0) {
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
  { database, records }: RecordServices,
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
    `"${slug}" was imported before its origin's manifest was kept, so nothing here could sign a bundle of it. Import its bundle once more; then it can be exported. As md or ndjson it can be had now.`,
  );
}
