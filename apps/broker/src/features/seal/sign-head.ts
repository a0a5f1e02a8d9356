import { type HeadRow, keepRest, type RecordExtent, readContentHash, tileHashes } from "@merkle/db";
import { computeLogRoot, type HeadAbout, type SignedHead, toHex } from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { AuditSigner } from "../../identity/audit-key/audit-key.js";
import { createSubtreeReader, type LogReader, type NamedLog, readLeaves } from "./tiles.js";

interface HeadToSign {
  readonly sessionId: string;
  readonly extent: RecordExtent;
  readonly epoch: string;
  readonly at: Date;
  readonly sealed: boolean;
  /** The hashes of the session's facts, roster and state. */
  readonly about: HeadAbout;
}

/**
 * Signs a record up to `extent`, whose tiles must be complete. Also stores the leaves that do not fill a
 * tile yet.
 */
export async function signHead(
  reader: LogReader,
  signer: AuditSigner,
  { sessionId, extent, epoch, at, sealed, about }: HeadToSign,
): Promise<HeadRow> {
  const { recordId, size, documentVersion } = extent;
  const computeRoot = async (log: "feed" | "document", entries: number) => {
    const namedLog = { sessionId, recordId, log };
    await keepLeaves(reader, namedLog, entries);
    return computeLogRoot(entries, createSubtreeReader(reader, namedLog), sha256);
  };
  const [root, documentRoot, documentHash] = await Promise.all([
    computeRoot("feed", size),
    computeRoot("document", documentVersion),
    readContentHash(reader.db, { sessionId, version: documentVersion }),
  ]);
  const { key_id, signature } = signer.sign({
    epoch,
    session_id: recordId,
    size,
    root: toHex(root),
    document: {
      version: documentVersion,
      hash: documentHash && toHex(documentHash),
      root: toHex(documentRoot),
    },
    about,
    at: at.toISOString(),
  });
  return {
    sessionId,
    size,
    documentVersion,
    epoch,
    recordId,
    root,
    documentHash,
    documentRoot,
    at,
    keyId: key_id,
    signature: Buffer.from(signature, "base64url"),
    sealed,
    about: toAboutBytes(about),
  };
}

async function keepLeaves(reader: LogReader, log: NamedLog, size: number): Promise<void> {
  const first = size - (size % tileHashes) + 1;
  if (first > size) return;
  const { parts } = await readLeaves(reader, log, { first, last: size });
  for (const { hashes } of parts) await keepRest(reader.db, log, { size, hashes });
}

/** Converts a stored head to the signed head, byte for byte as it was issued. */
export function toSignedHead(row: HeadRow): SignedHead {
  return {
    epoch: row.epoch,
    session_id: row.recordId,
    size: row.size,
    root: toHex(row.root),
    document: {
      version: row.documentVersion,
      hash: row.documentHash && toHex(row.documentHash),
      root: toHex(row.documentRoot),
    },
    ...(row.about.length === 0 ? {} : { about: toAbout(row.about) }),
    at: row.at.toISOString(),
    key_id: row.keyId,
    signature: Buffer.from(row.signature).toString("base64url"),
  };
}

/** Converts a signed head to a row for a session. */
export function toHeadRow(
  head: SignedHead,
  { sessionId, sealed }: { readonly sessionId: string; readonly sealed: boolean },
): HeadRow {
  const { size, document } = head;
  return {
    sessionId,
    size,
    documentVersion: document.version,
    epoch: head.epoch,
    recordId: head.session_id,
    root: Buffer.from(head.root, "hex"),
    documentHash: document.hash === null ? null : Buffer.from(document.hash, "hex"),
    documentRoot: Buffer.from(document.root, "hex"),
    at: new Date(head.at),
    keyId: head.key_id,
    signature: Buffer.from(head.signature, "base64url"),
    sealed,
    about: toAboutBytes(head.about),
  };
}

function toAbout(bytes: Uint8Array): HeadAbout {
  const [session, roster, state] = [0, 32, 64].map((start) => toHex(bytes.subarray(start, start + 32)));
  return { session: session ?? "", roster: roster ?? "", state: state ?? "" };
}

/** Returns the three hashes of a head's facts in the form stored in the database. */
function toAboutBytes(about: HeadAbout | undefined): Uint8Array {
  return about ? Buffer.from(about.session + about.roster + about.state, "hex") : Buffer.alloc(0);
}

/** Returns a seal in the form that an overview shows. */
export function toSeal({ size, root, at }: Pick<HeadRow, "size" | "root" | "at">) {
  return { size, root: toHex(root), at: at.toISOString() };
}
