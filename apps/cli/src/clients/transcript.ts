import { open } from "node:fs/promises";
import { compactMessage, type Message } from "@merkle/wire";

/** The messages that a conversation holds, as its client has written them down. */
export interface Transcript {
  /** Whether the conversation would still have it, were it resumed now. */
  holds(message: Message): boolean;
  /** Whether the model has said something since: an interrupted prompt that it has not answered goes with what came along. */
  isAnswered(message: Message): boolean;
  /** Whether these words stand in it. */
  says(words: string): boolean;
}

/** How a client writes conversations down. The files are its own and promised to nobody. */
export interface TranscriptFormat {
  /** The file of a conversation; undefined where there is none. */
  find(conversation: string, env: NodeJS.ProcessEnv): Promise<string | undefined>;
  /**
   * Undefined where it is not understood.
   *
   * @param text - the end of a file, whose first and last line may be cut
   */
  parse(text: string): Transcript | undefined;
}

/** How much of a file's end is read. What has not been acknowledged stands there. */
const tailBytes = 2 * 1024 * 1024;

/** Reads what the client has written down of a conversation: undefined where nothing is known of it. */
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

/** Whether a message stands in one of these texts, in lines of its own: what others wrote begins no line (TEXT-1). */
export function hasMessage(texts: readonly string[], message: Message): boolean {
  // Some clients cut what is empty at the end of a text.
  const wanted = compactMessage(message).trimEnd();
  return texts.some((each) => hasLines(each, wanted));
}

function hasLines(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + wanted.length);
    if (/(?:^|\n)(?:\(again\) )?$/.test(before.slice(-12)) && /^[^\S\n]*(?:\n|$)/.test(after)) return true;
  }
  return false;
}
