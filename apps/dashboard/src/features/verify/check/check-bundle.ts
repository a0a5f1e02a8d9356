import {
  type AuditKey,
  type BundleSource,
  bundleFiles,
  parseKeys,
  type VerifiedRow,
  verifyBundle,
  verifySignatureHere,
} from "@merkle/wire/record";
import { extractBundle } from "@merkle/wire/record/html";
import type { SurroundingPage } from "@merkle/wire/record/page";
import { openZipBundle, type RandomAccess } from "@merkle/wire/record/zip";
import { sha256 as growingSha256 } from "@noble/hashes/sha2.js";
import { sha256 } from "@/core/sha256";
import { createExcerptCollector } from "./excerpt";
import type { CheckedBundle, TrustedData } from "./verify-protocol";

export interface CheckBundleOptions {
  readonly trusted: TrustedData;
  readonly signal: AbortSignal;
  /** Checks the page around the record, if the record is embedded in a page (VERIFY-15). */
  readonly checkPage?: ((file: RandomAccess) => Promise<SurroundingPage>) | undefined;
  readonly onProgress: (share: number) => void;
  /** Called for each message and version with the result of its check. */
  readonly onRow?: (row: VerifiedRow) => void;
}

/**
 * The fraction of the progress bar that checking messages takes up. Checking the document takes little time in
 * comparison.
 */
const feedShare = 0.9;

/**
 * Checks a whole export, and compares it with the heads of the same record that this browser has seen.
 *
 * @throws Error with a message to show if the file is not an export
 */
export async function checkBundle(
  file: Blob,
  { trusted, signal, checkPage, onProgress, onRow }: CheckBundleOptions,
): Promise<CheckedBundle> {
  const source = await openBundle(file);
  const page = (await checkPage?.(toRandomAccess(file))) ?? "none";
  const { recordId, keyId } = await readClaim(source);
  const seenHead = trusted.seen[recordId];
  const collector = createExcerptCollector();
  const report = await verifyBundle(source, {
    sha256,
    createSha256: () => growingSha256.create(),
    verifySignature: verifySignatureHere,
    trusted: seenHead
      ? { keys: seenHead.keys, heads: [seenHead.head] }
      : { keys: selectOwnKeys(trusted.brokerKeys, keyId) },
    onProgress({ log, done, of }) {
      const share = of === 0 ? 0 : Math.min(1, done / of);
      onProgress(log === "feed" ? share * feedShare : feedShare + share * (1 - feedShare));
    },
    onRow(row) {
      collector.add(row);
      onRow?.(row);
    },
    signal,
  });
  return {
    what: "bundle",
    report,
    page,
    excerpt: collector.excerpt,
    keys: report.ok ? parseKeys(await readText(source, bundleFiles.keys)) : [],
  };
}

export async function openBundle(file: Blob): Promise<BundleSource> {
  const source = await openZipBundle(await extractBundle(toRandomAccess(file)));
  if (!source.names.includes(bundleFiles.manifest) && !source.names.includes(bundleFiles.feed)) {
    throw new Error("This zip archive is not a Merkle export: it has neither a manifest nor a feed.");
  }
  return source;
}

function toRandomAccess(file: Blob): RandomAccess {
  return {
    size: file.size,
    read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
  };
}

/**
 * Returns the broker's keys if the broker itself signed the record. Otherwise returns no keys, because another broker's
 * keys are unknown here.
 */
function selectOwnKeys(brokerKeys: readonly AuditKey[], keyId: string): readonly AuditKey[] {
  return brokerKeys.some(({ key_id }) => key_id === keyId) ? brokerKeys : [];
}

/** Reads the record id that a bundle claims, to choose the heads to compare with. The check itself does not trust this claim. */
async function readClaim(source: BundleSource): Promise<{ recordId: string; keyId: string }> {
  try {
    const { session, head } = Object(JSON.parse(await readText(source, bundleFiles.manifest)));
    return { recordId: String(Object(session)["session_id"]), keyId: String(Object(head)["key_id"]) };
  } catch {
    return { recordId: "", keyId: "" };
  }
}

/** Size limit for files that are read as a whole. A larger file is reported as a problem. */
const textCharsMax = 2 ** 21;

export async function readText(source: BundleSource, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of source.open(name) ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > textCharsMax) throw new Error(`${name} is too large.`);
  }
  return text + decoder.decode();
}
