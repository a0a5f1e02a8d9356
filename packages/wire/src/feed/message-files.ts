import { isObject } from "../core/is-object.js";
import { describeBytes } from "../text/describe-bytes.js";
import { isPlain, neutralise } from "../text/neutralise.js";
import type { Message } from "./message.js";
import { isRedacted } from "./redaction.js";

/** What a message says about one of its files, and what its hash covers. */
export interface MessageFile {
  readonly name: string;
  readonly size: number;
  /** The media type that the bytes have. */
  readonly type: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
}

/** Returns a message's files, in order. A message whose text was removed has none. */
export function listMessageFiles(message: Message): readonly MessageFile[] {
  const { attachments } = message.content;
  return Array.isArray(attachments) && !isRedacted(message) ? attachments.filter(isMessageFile) : [];
}

function isMessageFile(value: unknown): value is MessageFile {
  if (!isObject(value)) return false;
  const { name, size, type, digest } = value;
  return (
    typeof name === "string" &&
    typeof size === "number" &&
    typeof type === "string" &&
    typeof digest === "string"
  );
}

/**
 * Formats a file in one line: `build.log, text/plain, 12 kB`. Any name that is not a plain word is quoted, so that it
 * cannot pose as anything else in the line.
 */
export function formatMessageFile({ name, type, size }: MessageFile): string {
  const shownName = isPlain(name, /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u) ? name : JSON.stringify(name);
  const shownType = isPlain(type, /^[\w.+-]+\/[\w.+-]+$/) ? type : JSON.stringify(type);
  return neutralise(`${shownName}, ${shownType}, ${describeBytes(size)}`);
}
