import { type HeadRow, keepRest, type RecordExtent, readContentHash, tileHashes } from "@merkle/db";
import { type HeadAbout, rootOfLog, toHex } from "@merkle/wire/record";
import { sha256 } from "../core/sha256.js";
import type { AuditSigner } from "./audit-key.js";
import { aboutBytes } from "./signed-head.js";
import { type LogReader, type NamedLog, readLeaves, subtreesOf } from "./tiles.js";

export interface HeadToSign {
  readonly sessionId: string;
  readonly extent: RecordExtent;
  readonly epoch: string;
  readonly at: Date;
  readonly sealed: boolean;
  /** What is said around the two logs. */
  readonly about: HeadAbout;
}

/** Signs what a record holds up to an extent, for which its tiles are complete, and keeps the leaves that no tile has yet. */
export async function signHead(
  reader: LogReader,
  signer: AuditSigner,
  { sessionId, extent, epoch, at, sealed, about }: HeadToSign,
): Promise<HeadRow> {
  const { recordId, size, documentVersion } = extent;
  const rootOf = async (log: "feed" | "document", entries: number) => {
    const named = { sessionId, recordId, log };
    await keepLeaves(reader, named, entries);
    return rootOfLog(entries, subtreesOf(reader, named), sha256);
  };
  const [root, documentRoot, documentHash] = await Promise.all([
    rootOf("feed", size),
    rootOf("document", documentVersion),
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
    about: aboutBytes(about),
  };
}

async function keepLeaves(reader: LogReader, log: NamedLog, size: number): Promise<void> {
  const first = size - (size % tileHashes) + 1;
  if (first > size) return;
  const { parts } = await readLeaves(reader, log, { first, last: size });
  for (const { hashes } of parts) await keepRest(reader.db, log, { size, hashes });
}
