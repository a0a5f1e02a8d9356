import {
  type AuditKey,
  type BundleSource,
  bundleFiles,
  parseKeys,
  type VerifiedRow,
  verifyBundle,
  verifySignatureHere,
} from "@merkle/wire/record";
import { bundleIn } from "@merkle/wire/record/html";
import type { SurroundingPage } from "@merkle/wire/record/page";
import { openZipBundle, type RandomAccess } from "@merkle/wire/record/zip";
import { sha256 as growingSha256 } from "@noble/hashes/sha2.js";
import { sha256 } from "@/core/sha256";
import { takeExcerpt } from "./excerpt";
import type { Believed, CheckedBundle } from "./verify-protocol";

export interface CheckBundleOptions {
  readonly believed: Believed;
  readonly signal: AbortSignal;
  /** Compares the page around the record, where that is checked (VERIFY-15). */
  readonly checkPage?: ((file: RandomAccess) => Promise<SurroundingPage>) | undefined;
  readonly onProgress: (share: number) => void;
  /** Called for each message and version with the result of its check. */
  readonly onRow?: (row: VerifiedRow) => void;
}

/** How much of the work the messages are; the document takes little beside them. */
const feedShare = 0.9;

/**
 * Checks an export whole, against what this browser saw of the same record before.
 *
 * @throws Error in words for people when the file is no export
 */
export async function checkBundle(
  file: Blob,
  { believed, signal, checkPage, onProgress, onRow }: CheckBundleOptions,
): Promise<CheckedBundle> {
  const source = await openBundle(file);
  const page = (await checkPage?.(toRandomAccess(file))) ?? "none";
  const { recordId, keyId } = await readClaim(source);
  const seen = believed.seen[recordId];
  const taker = takeExcerpt();
  const report = await verifyBundle(source, {
    sha256,
    createSha256: () => growingSha256.create(),
    verifySignature: verifySignatureHere,
    trusted: seen ? { keys: seen.keys, heads: [seen.head] } : { keys: ownKeys(believed.brokerKeys, keyId) },
    onProgress({ log, done, of }) {
      const share = of === 0 ? 0 : Math.min(1, done / of);
      onProgress(log === "feed" ? share * feedShare : feedShare + share * (1 - feedShare));
    },
    onRow(row) {
      taker.take(row);
      onRow?.(row);
    },
    signal,
  });
  return {
    what: "bundle",
    report,
    page,
    excerpt: taker.excerpt,
    keys: report.ok ? parseKeys(await readText(source, bundleFiles.keys)) : [],
  };
}

export async function openBundle(file: Blob): Promise<BundleSource> {
  const source = await openZipBundle(await bundleIn(toRandomAccess(file)));
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
 * The keys of the broker that served the page are known here, for what it signed itself; what comes from another broker is
 * not wrong by being signed with other keys.
 */
function ownKeys(brokerKeys: readonly AuditKey[], keyId: string): readonly AuditKey[] {
  return brokerKeys.some(({ key_id }) => key_id === keyId) ? brokerKeys : [];
}

/** Reads which record a bundle claims to be, to choose the heads to compare with. The check itself does not trust it. */
async function readClaim(source: BundleSource): Promise<{ recordId: string; keyId: string }> {
  try {
    const { session, head } = Object(JSON.parse(await readText(source, bundleFiles.manifest)));
    return { recordId: String(Object(session)["session_id"]), keyId: String(Object(head)["key_id"]) };
  } catch {
    return { recordId: "", keyId: "" };
  }
}

/** Files that are read whole are small; the check reports one that is not. */
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
