import { parseHex, toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import type { VersionRange } from "../feed/redaction.js";
import { createBreather } from "./breather.js";
import { bundleFiles, type DocumentLine, parseDocumentLine } from "./bundle.js";
import { createDocumentEntry, hashContent, hashEntry } from "./entry.js";
import { collectFindings, type Findings } from "./findings.js";
import type { Finding } from "./report.js";
import type { LogOptions } from "./verify-feed.js";
import { followLog, type LogLine } from "./verify-log.js";

export interface VerifiedDocument {
  readonly findings: Findings;
  readonly version: number;
  readonly root: string;
  /** SHA-256 of the last version's text. Null if the text was removed or cannot be read. */
  readonly text: string | null;
}

const file = bundleFiles.versions;
const utf8 = new TextEncoder();

/**
 * Verifies the document's versions one by one. A version's text may be missing only if a message reports its
 * removal and the version is not the newest one.
 */
export async function verifyDocument(
  lines: AsyncIterable<string>,
  {
    checkpoints,
    sha256,
    recordId,
    removed,
    onRow,
    onLine,
  }: LogOptions & { readonly removed: readonly VersionRange[] },
): Promise<VerifiedDocument> {
  const findings = collectFindings();
  const log = followLog({ one: "version", file, checkpoints, sha256, narrow: findings.narrow });
  const breathe = createBreather();
  const hashText = (text: string) => toHex(sha256(utf8.encode(text)));
  let text: string | null = hashText("");
  let line = 0;
  /** Number of the last version read, if its text is missing. */
  let bare: number | null = null;
  const isRemoved = createRangeTest(removed);

  function check(given: string): { number: number; wrong: Finding[] } {
    const parsed = parse(given);
    if (parsed instanceof ShapeError) {
      text = null;
      bare = null;
      const version = log.skip();
      const message = `The line of version ${version} cannot be read: ${parsed.message}`;
      return { number: version, wrong: [{ code: "form", message, document_version: version, file, line }] };
    }
    text = parsed.content === null ? null : hashText(parsed.content);
    const { leaf, wrong } = checkLine(parsed, { recordId, sha256, line });
    const { version } = parsed.version;
    bare = parsed.content === null ? version : null;
    if (parsed.content === null && !isRemoved(version)) {
      const message = `Version ${version} has no text, but no message records its removal.`;
      wrong.push({ code: "content", message, document_version: version, file, line });
    }
    return { number: version, wrong: [...log.follow(leaf), ...wrong] };
  }

  for await (const given of lines) {
    line++;
    const { number, wrong } = check(given);
    findings.add(...wrong);
    onRow?.({ log: "document", number, line, text: given, findings: wrong });
    onLine(line);
    if (findings.isFull) break;
    await breathe();
  }
  findings.add(...log.end());
  if (bare !== null) {
    const message = `Version ${bare} is the newest but has no text. Only earlier versions can be without text.`;
    findings.add({ code: "content", message, document_version: bare, file });
  }
  return { findings, version: log.last, root: log.root, text };
}

/** Returns a function that checks whether a version is within one of the given ranges. */
function createRangeTest(ranges: readonly VersionRange[]): (version: number) => boolean {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  let at = 0;
  // The function must be called with ascending versions. If a version is out of order, that is reported as a
  // fault anyway.
  return (version) => {
    while (at < merged.length && (merged[at]?.to ?? 0) < version) at++;
    return (merged[at]?.from ?? Number.POSITIVE_INFINITY) <= version;
  };
}

function parse(text: string): DocumentLine | ShapeError {
  try {
    return parseDocumentLine(text);
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}

function checkLine(
  { version: about, content, salt, content_hash, hash, root }: DocumentLine,
  { recordId, sha256, line }: { recordId: string | null; sha256: Sha256; line: number },
): { leaf: LogLine; wrong: Finding[] } {
  const { version } = about;
  const computedHash =
    salt === null || content === null ? content_hash : hashContent(parseHex(salt), content, sha256);
  const computeLeaf = (contentHash: string) =>
    hashEntry(createDocumentEntry(about, { recordId: about.session_id, contentHash }), sha256);
  const wrong: Finding[] = [];
  const add = (message: string) =>
    wrong.push({ code: "content", message, document_version: version, file, line });

  if (recordId !== null && about.session_id !== recordId) {
    add(`Version ${version} belongs to another record, ${about.session_id}.`);
  }
  const leaf = computeLeaf(computedHash);
  if ((salt === null) !== (content === null)) {
    add(
      `Version ${version} has a text without a salt, or a salt without a text, so it cannot be checked against its hash.`,
    );
  } else if (toHex(leaf) === hash && computedHash !== content_hash) {
    add(`The content hash of version ${version} does not match its text.`);
  }
  const describeMismatch = () =>
    computedHash !== content_hash && toHex(computeLeaf(content_hash)) === hash
      ? `The text of version ${version}, or its salt, was changed after it was recorded.`
      : `Version ${version} was changed after it was recorded: its text or its other fields differ.`;
  return {
    leaf: {
      number: version,
      line,
      leaf,
      hash: parseHex(hash),
      root,
      contentHash: content_hash,
      describeMismatch,
    },
    wrong,
  };
}
