import { toCanonicalJson } from "../core/canonical-json.js";
import { parseHex, toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import { listMessageFiles } from "../feed/message-files.js";
import { findRedactedVersions, toRedactedContent, type VersionRange } from "../feed/redaction.js";
import type { SignedHead } from "../identity/head.js";
import { createBreather } from "./breather.js";
import { bundleFiles, type FeedLine, parseFeedLine, parseHead } from "./bundle.js";
import { createFeedEntry, hashContent, hashEntry } from "./entry.js";
import { collectFindings, type Findings } from "./findings.js";
import type { Finding, FindingCode, VerifiedRow } from "./report.js";
import { type Checkpoint, followLog, type LogLine } from "./verify-log.js";

export interface VerifiedFeed {
  readonly findings: Findings;
  readonly size: number;
  readonly root: string;
  readonly notedSize: number | null;
  readonly matched: number;
  readonly redacted: number;
  readonly private: number;
  readonly attachments: NamedAttachments;
  /** The signed heads that conclusions contain. */
  readonly seals: readonly SignedHead[];
  /** Ranges of document versions whose removal a message reports. */
  readonly removed: readonly VersionRange[];
}

export interface LogOptions {
  /** Id of the record. Null if it is unknown. */
  readonly recordId: string | null;
  readonly checkpoints: readonly Checkpoint[];
  readonly sha256: Sha256;
  readonly onRow: ((row: VerifiedRow) => void) | undefined;
  readonly onLine: (done: number) => void;
}

/** The files that messages name. */
export interface NamedAttachments {
  readonly named: number;
  readonly included: number;
  /** The sizes of the files that the bundle contains and a message names, by digest. */
  readonly sizes: ReadonlyMap<string, number>;
}

interface VerifyFeedOptions extends LogOptions {
  /** Digests of the messages' files that the bundle contains. */
  readonly includedAttachments: ReadonlySet<string>;
  readonly noted: string | undefined;
  /**
   * Returns a sentence that describes what is wrong with a head's signature, or null if the signature is
   * valid.
   */
  readonly checkSignature: (head: SignedHead) => Promise<string | null>;
}

const file = bundleFiles.feed;

/** Verifies the messages of a feed one by one, while they are being read. */
export async function verifyFeed(
  lines: AsyncIterable<string>,
  options: VerifyFeedOptions,
): Promise<VerifiedFeed> {
  const { checkpoints, noted, sha256, recordId, checkSignature, includedAttachments, onRow, onLine } =
    options;
  const findings = collectFindings();
  const log = followLog({ one: "message", file, checkpoints, noted, sha256, narrow: findings.narrow });
  const breathe = createBreather();
  const seals: SignedHead[] = [];
  const removed: VersionRange[] = [];
  const counts = { matched: 0, redacted: 0, private: 0 };
  const attachments = { named: 0, included: 0, sizes: new Map<string, number>() };
  /** Sequences of messages whose text is missing and whose removal no later message has reported yet. */
  const unexplained = new Set<number>();
  let line = 0;

  async function check(text: string): Promise<CheckedRow> {
    const parsed = parse(text);
    if (parsed instanceof ShapeError) {
      const sequence = log.skip();
      const message = `The line of message ${sequence} cannot be read: ${parsed.message}`;
      return { number: sequence, wrong: [{ code: "form", message, sequence, file, line }] };
    }
    const { content, sequence } = parsed.message;
    const isRedacted = content["redacted"] === true && parsed.salt === null;
    if (isRedacted) {
      counts.redacted++;
      unexplained.add(sequence);
    } else if (content["private"] === true) counts.private++;
    // A redaction event replies to the message that was redacted. The reply is part of the event's entry, so
    // it is known even if the event's own text was removed.
    if (isRedaction(parsed)) {
      unexplained.delete(parsed.message.reply_to ?? 0);
      const range = findRedactedVersions({ event: "message_redacted", content });
      if (range) removed.push(range);
    }
    const seal = isRedacted ? undefined : findSeal(parsed);
    const sealFindings = seal === undefined ? [] : await checkSeal(seal, sequence);
    const { leaf, wrong } = checkLine(parsed, { recordId, sha256, line });
    const fileFindings = noteAttachments(parsed);
    return { number: sequence, wrong: [...sealFindings, ...log.follow(leaf), ...wrong, ...fileFindings] };
  }

  /** Notes the files that a message names. Those that the bundle contains must have one size. */
  function noteAttachments({ message }: FeedLine): Finding[] {
    const wrong: Finding[] = [];
    for (const { digest, size } of message.type === "chat" ? listMessageFiles(message) : []) {
      attachments.named++;
      if (!includedAttachments.has(digest)) continue;
      attachments.included++;
      if ((attachments.sizes.get(digest) ?? size) !== size) {
        const { sequence } = message;
        const text = `Message ${sequence} names the file ${digest} with another size than an earlier message.`;
        wrong.push({ code: "content", message: text, sequence, file, line });
      }
      attachments.sizes.set(digest, size);
    }
    return wrong;
  }

  /** Checks the head in a conclusion, which must cover everything before the conclusion. */
  async function checkSeal(value: unknown, sequence: number): Promise<Finding[]> {
    const createFindings = (code: FindingCode, message: string): Finding[] => [
      { code, message: `The seal in message ${sequence} ${message}`, sequence, file, line },
    ];
    let head: SignedHead;
    try {
      head = parseHead(value, "the head");
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      return createFindings("form", `cannot be read: ${error.message}`);
    }
    if (head.size !== sequence - 1) {
      return createFindings("head", `covers ${head.size} messages, but ${sequence - 1} came before it.`);
    }
    const unsigned = await checkSignature(head);
    if (unsigned) return createFindings("signature", unsigned);
    seals.push(head);
    if (log.last !== head.size) return [];
    const description = `the seal in message ${sequence}`;
    return log.check({ size: head.size, root: head.root, description, mustReach: true });
  }

  for await (const text of lines) {
    line++;
    const { number, wrong } = await check(text);
    if (wrong.length === 0) counts.matched++;
    findings.add(...wrong);
    onRow?.({ log: "feed", number, line, text, findings: wrong });
    onLine(line);
    if (findings.isFull) break;
    await breathe();
  }
  findings.add(...log.end());
  for (const sequence of unexplained) {
    const message = `Message ${sequence} has no text, but no later message records its removal.`;
    findings.add({ code: "content", message, sequence, file });
  }
  return {
    findings,
    size: log.last,
    root: log.root,
    notedSize: log.notedSize,
    ...counts,
    attachments,
    seals,
    removed,
  };
}

interface CheckedRow {
  readonly number: number;
  readonly wrong: readonly Finding[];
}

function parse(text: string): FeedLine | ShapeError {
  try {
    return parseFeedLine(text);
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}

function isRedaction({ message: { type, content } }: FeedLine): boolean {
  return type === "system" && content["event"] === "message_redacted";
}

function findSeal({ message: { type, content } }: FeedLine): unknown {
  return type === "system" && content["event"] === "session_concluded" ? content["head"] : undefined;
}

/** Checks a single line. Returns its leaf and the faults found in the line itself. */
function checkLine(
  { message, salt, content_hash, hash, root }: FeedLine,
  { recordId, sha256, line }: { recordId: string | null; sha256: Sha256; line: number },
): { leaf: LogLine; wrong: Finding[] } {
  const { sequence, content } = message;
  const computedHash =
    salt === null ? content_hash : hashContent(parseHex(salt), toCanonicalJson(content), sha256);
  const computeLeaf = (contentHash: string) =>
    hashEntry(createFeedEntry(message, { recordId: message.session_id, contentHash }), sha256);
  const wrong: Finding[] = [];
  const add = (code: FindingCode, text: string) => wrong.push({ code, message: text, sequence, file, line });

  if (recordId !== null && message.session_id !== recordId) {
    add("content", `Message ${sequence} belongs to another record, ${message.session_id}.`);
  }
  const leaf = computeLeaf(computedHash);
  const isSame = toHex(leaf) === hash;
  if (salt === null && toCanonicalJson(content) !== toCanonicalJson(withoutText(message))) {
    add(
      "content",
      `Message ${sequence} has a text but no salt, so the text cannot be checked against its hash.`,
    );
  } else if (isSame && computedHash !== content_hash) {
    add("content", `The content hash of message ${sequence} does not match its text.`);
  }
  const describeMismatch = () =>
    computedHash !== content_hash && toHex(computeLeaf(content_hash)) === hash
      ? `The text of message ${sequence}, or its salt, was changed after it was recorded.`
      : `Message ${sequence} was changed after it was recorded: its text or its other fields differ.`;
  return {
    leaf: {
      number: sequence,
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

/**
 * Returns the only content that a message without a salt may have. This is what remains of a redacted
 * message, or the public part of a private message.
 */
function withoutText({ type, content }: FeedLine["message"]): Record<string, unknown> {
  const { redacted, ...rest } = toRedactedContent({ type, content });
  return content["redacted"] === true ? { ...rest, redacted } : { private: true, bytes: content["bytes"] };
}
