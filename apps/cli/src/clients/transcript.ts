import { open } from "node:fs/promises";
import { compactMessage, type Message } from "@merkle/wire";

/** The contents of a conversation, read from its client's transcript. */
export interface Transcript {
  /** Whether the conversation would contain the message if it were resumed now. */
  contains(message: Message): boolean;
  /**
   * Whether the model has responded since the message. If an unanswered prompt is interrupted, the client
   * discards the text that was added to it.
   */
  isAnswered(message: Message): boolean;
  /** Whether the conversation contains these words. */
  containsText(words: string): boolean;
}

/**
 * The format in which a client records conversations. The files are private to the client and not a
 * documented interface.
 */
export interface TranscriptFormat {
  /** Returns the path of the file that records a conversation, or undefined if there is no file. */
  find(conversation: string, env: NodeJS.ProcessEnv): Promise<string | undefined>;
  /**
   * Parses a transcript. Returns undefined if its format is not supported.
   *
   * @param text - the end of a file, whose first and last lines may be incomplete
   */
  parse(text: string): Transcript | undefined;
}

/** How many bytes to read from the end of a file. Unacknowledged messages are within that part. */
const tailBytes = 2 * 1024 * 1024;

/**
 * Reads the transcript of a conversation. Returns undefined if it is missing or its format is not supported.
 */
export async function readTranscript(
  format: TranscriptFormat,
  conversation: string,
  env: NodeJS.ProcessEnv,
): Promise<Transcript | undefined> {
  const path = await format.find(conversation, env);
  const tail = path === undefined ? undefined : await readTail(path);
  return tail === undefined ? undefined : format.parse(tail);
}

async function readTail(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * Returns whether one of the strings contains the message on separate lines. Text written by others never
 * starts a line (TEXT-1).
 */
export function hasMessage(texts: readonly string[], message: Message): boolean {
  // Some clients remove trailing white space.
  const expected = compactMessage(message).trimEnd();
  return texts.some((each) => hasLines(each, expected));
}

function hasLines(text: string, expected: string): boolean {
  for (let at = text.indexOf(expected); at !== -1; at = text.indexOf(expected, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + expected.length);
    if (/(?:^|\n)(?:\(again\) )?$/.test(before.slice(-12)) && /^[^\S\n]*(?:\n|$)/.test(after)) return true;
  }
  return false;
}
