import {
  type ImportedFeedEnd,
  type ImportedMessageRow,
  insertImportedMessages,
  redactMessageRow,
} from "@merkle/db";
import { MerkleError, toRecordedFields } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { bundleFiles, type FeedLine, parseFeedLine, toCanonicalJson } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { countUtf8Bytes } from "@merkle/wire/text";
import { holdForTexts } from "../../views/hooks.js";
import type { SealServices } from "../seal/feature.js";
import { readLinesOf } from "./read-file.js";
import type { ImportTarget } from "./refuse-divergent-log.js";
import { refuseDivergentLog } from "./refuse-divergent-log.js";

/** The heads that sealed the session's conclusions, as `size/version`. */
export type Seals = ReadonlySet<string>;

export interface StoredFeed extends ImportedFeedEnd {
  readonly seals: Seals;
}

/**
 * Stores the messages in a bundle that this copy does not have yet. The messages already stored must match the
 * first messages in the bundle. Text that was redacted at the origin is also redacted in this copy.
 *
 * @throws conflict if the stored messages belong to a different record
 */
export async function storeFeed(
  services: SealServices,
  bundle: ZippedFiles,
  target: ImportTarget,
): Promise<StoredFeed> {
  const { tx, sessionId, size } = target;
  const seals = new Set<string>();
  const answered = new Set<number>();
  let last: FeedLine["message"] | undefined;
  let lastChatSequence = 0;
  for await (const lines of readLinesOf(bundle, bundleFiles.feed, parseFeedLine)) {
    const redacted: number[] = [];
    const rows: ImportedMessageRow[] = [];
    for (const line of lines) {
      const { sequence, content } = line.message;
      last = line.message;
      if (last.type === "chat") lastChatSequence = sequence;
      noteSeal(content, seals);
      const answers = noteAnswer(line.message, answered);
      if (sequence > size) rows.push(toRow(line, answers));
      else if (content["redacted"] === true) redacted.push(sequence);
    }
    const lastKnown = lines.findLast((line) => line.message.sequence <= size);
    if (lastKnown) {
      await refuseDivergentLog(services, target, {
        log: "feed",
        size: lastKnown.message.sequence,
        root: lastKnown.root,
      });
      if (redacted.length > 0) await holdForTexts(tx, services, sessionId);
      for (const sequence of redacted) {
        for (const hook of services.hooks.onImport) await hook.forgetEvent(tx, sessionId, sequence);
        await redactMessageRow(tx, sessionId, sequence);
      }
    }
    if (rows.length > 0) await insertImportedMessages(tx, sessionId, rows);
  }
  return {
    seals,
    lastSequence: last?.sequence ?? 0,
    lastPostedAt: last ? new Date(last.posted_at) : null,
    lastChatSequence,
  };
}

function toRow({ message, salt, content_hash }: FeedLine, answers: number | null): ImportedMessageRow {
  const { content } = message;
  const text = toCanonicalJson(content);
  if (countUtf8Bytes(text) > limits.pageBytesMax || containsNul(text)) throw notStorable(message.sequence);
  return {
    ...toRecordedFields(message),
    content: text,
    salt,
    content_hash: salt === null ? content_hash : null,
    answers,
  };
}

/**
 * Returns the sequence of the ask that a message answers, or null. Only the first answer to an ask counts.
 */
function noteAnswer({ content, reply_to }: FeedLine["message"], answered: Set<number>): number | null {
  if (reply_to === undefined || typeof content["answer"] !== "string" || answered.has(reply_to)) return null;
  answered.add(reply_to);
  return reply_to;
}

function noteSeal({ event, head }: FeedLine["message"]["content"], seals: Set<string>): void {
  if (event !== "session_concluded") return;
  const { size, document } = Object(head);
  seals.add(`${size}/${Object(document).version}`);
}

/**
 * Returns whether a JSON string contains NUL, which PostgreSQL cannot store. `\u0000` is a NUL only after an
 * even number of backslashes.
 */
function containsNul(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u0000/.test(json);
}

function notStorable(sequence: number): MerkleError {
  return new MerkleError(
    "bad_request",
    `Message ${sequence} of the bundle verifies, but it is too long for this broker or contains characters that cannot be stored. Nothing was imported.`,
    { sequence },
  );
}
