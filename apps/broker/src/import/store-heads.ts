import { keepHead, keepOriginKeys } from "@merkle/db";
import { bundleFiles, type Manifest, parseHeadLine, parseKeys, type SignedHead } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { toAuditKeyRow } from "../record/audit-key.js";
import { readLinesOf, readSmallFile } from "./read-file.js";
import type { Seals } from "./store-feed.js";
import type { Target } from "./store-record.js";

/** Keeps what was signed of the record where it comes from, and the keys that did: they go on vouching for it here. */
export async function storeHeads(
  bundle: ZippedFiles,
  manifest: Manifest,
  { tx, sessionId, seals }: Target & { readonly seals: Seals },
): Promise<void> {
  const keys = parseKeys(await readSmallFile(bundle, bundleFiles.keys));
  await keepOriginKeys(tx, sessionId, keys.map(toAuditKeyRow));
  for await (const heads of readLinesOf(bundle, bundleFiles.heads, parseHeadLine)) {
    for (const head of heads) await keepHead(tx, toHeadRow(head, sessionId, seals));
  }
  await keepHead(tx, toHeadRow(manifest.head, sessionId, seals));
}

function toHeadRow(head: SignedHead, sessionId: string, seals: Seals) {
  const { size, document } = head;
  return {
    sessionId,
    size,
    documentVersion: document.version,
    epoch: head.epoch,
    recordId: head.session_id,
    root: toBytes(head.root),
    documentHash: document.hash === null ? null : toBytes(document.hash),
    documentRoot: toBytes(document.root),
    at: new Date(head.at),
    keyId: head.key_id,
    signature: Buffer.from(head.signature, "base64url"),
    sealed: seals.has(`${size}/${document.version}`),
  };
}

function toBytes(hex: string): Uint8Array {
  return Buffer.from(hex, "hex");
}
