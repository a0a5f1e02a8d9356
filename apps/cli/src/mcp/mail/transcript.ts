import { open } from "node:fs/promises";
import { compactMessage, type Message } from "@merkle/wire";
import { findClaudeTranscript } from "../../clients/claude-paths.js";

/** The messages that a conversation of Claude Code holds, as its client has written them down. */
export interface Transcript {
  /** Whether the conversation would still have it, were it resumed now. */
  holds(message: Message): boolean;
  /** Whether the model has said something since: an interrupted prompt that it has not answered goes with what came along. */
  isAnswered(message: Message): boolean;
  /** Whether these words stand in it. */
  says(words: string): boolean;
}

/** How much of a transcript's end is read. What has not been acknowledged stands there. */
const tailBytes = 2 * 1024 * 1024;

/**
 * Reads what the client has written down of a conversation. The file is the client's own and promised to nobody: undefined
 * when there is none, or it is not understood, and then nothing is known.
 */
export async function readTranscript(
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<Transcript | undefined> {
  const path = await findClaudeTranscript(sessionId, env);
  const tail = path === undefined ? undefined : await readTail(path);
  return tail === undefined ? undefined : parseTranscript(tail);
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

/** @param text - the end of a transcript, whose first and last line may be cut */
export function parseTranscript(text: string): Transcript | undefined {
  const entries = text.split("\n").flatMap(parseEntry);
  const last = entries.at(-1);
  if (!last) return undefined;
  const parents = new Map(entries.map(({ uuid, parent }) => [uuid, parent]));
  // An entry that went with an interrupted prompt, or was rewound, is followed by none that names it.
  const living = new Set<string>();
  for (let id: string | undefined = last.uuid; id !== undefined && !living.has(id); id = parents.get(id))
    living.add(id);
  const branch = entries
    // Results of calls that were made at once stand side by side, each behind its own call.
    .filter(({ uuid, parent, isResult }) => living.has(uuid) || (isResult && living.has(parent ?? "")));
  const texts = branch.flatMap((entry) => entry.texts);
  const answered = branch.slice(0, branch.findLastIndex(({ isAnswer }) => isAnswer) + 1);
  const has = (among: readonly string[], message: Message) =>
    among.some((each) => hasLines(each, compactMessage(message)));
  return {
    holds: (message) => has(texts, message),
    isAnswered: (message) =>
      has(
        answered.flatMap((entry) => entry.texts),
        message,
      ),
    says: (words) => texts.some((each) => each.includes(words)),
  };
}

interface Entry {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly isResult: boolean;
  /** Whether the model said it. */
  readonly isAnswer: boolean;
  /** The texts that hooks put in and tools returned. */
  readonly texts: readonly string[];
}

function parseEntry(line: string): Entry[] {
  // The client's notes about its requests are most of the file, and no part of the conversation.
  if (!line.includes('"parentUuid"')) return [];
  try {
    const { uuid, parentUuid, type, isSidechain, attachment, message }: Fields = JSON.parse(line);
    if (typeof uuid !== "string" || isSidechain === true) return [];
    const results = arrayOf(Object(message).content).filter((block) => Object(block).type === "tool_result");
    const isContext = Object(attachment).type === "hook_additional_context";
    const added = isContext ? arrayOf(Object(attachment).content) : [];
    return [
      {
        uuid,
        parent: typeof parentUuid === "string" ? parentUuid : undefined,
        isResult: results.length > 0,
        isAnswer: type === "assistant",
        texts: [...added, ...results].flatMap(textsIn),
      },
    ];
  } catch {
    // The first line is cut as a rule, and the last may still be written.
    return [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const { text, content } = Object(value);
  return typeof text === "string" ? [text] : [content].flat().flatMap((each) => (each ? textsIn(each) : []));
}

/** Whether these lines stand in a text by themselves: what others wrote begins no line (TEXT-1). */
function hasLines(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(0, at);
    const after = text.charAt(at + wanted.length);
    if (/(?:^|\n)(?:\(again\) )?$/.test(before.slice(-12)) && (after === "" || after === "\n")) return true;
  }
  return false;
}
