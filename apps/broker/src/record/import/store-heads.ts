import { keepHead, keepOriginKeys } from "@merkle/db";
import { bundleFiles, type Manifest, parseHeadLine, parseKeys, type SignedHead } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { toAuditKeyRow } from "../audit-key.js";
import { toHeadRow } from "../signed-head.js";
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
    for (const head of heads) await keepHead(tx, toHeadRow(head, { sessionId, sealed: isSeal(head) }));
  }
  const { head } = manifest;
  await keepHead(tx, toHeadRow(head, { sessionId, sealed: isSeal(head) }));

  function isSeal({ size, document }: SignedHead): boolean {
    return seals.has(`${size}/${document.version}`);
  }
}
