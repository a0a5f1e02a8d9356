import type { JsonFields } from "../core/is-object.js";
import { findClaudeTranscript } from "./claude-paths.js";
import { hasMessage, type Transcript, type TranscriptFormat } from "./transcript.js";

/**
 * Claude Code's transcript format. Each entry names its parent. Following the parents from the last entry
 * leaves out entries that were rewound or interrupted.
 */
export const claudeTranscript: TranscriptFormat = { find: findClaudeTranscript, parse };

/**
 * Parses a transcript. Returns undefined if it contains no entries.
 *
 * @param text - the end of a transcript, whose first and last lines may be incomplete
 */
function parse(text: string): Transcript | undefined {
  const entries = text.split("\n").flatMap(parseEntry);
  const last = entries.at(-1);
  if (!last) return undefined;
  const parents = new Map(entries.map(({ uuid, parent }) => [uuid, parent]));
  // Follow the parents from the last entry. Entries of a rewind or an interrupted prompt are not on that
  // path.
  const branchIds = new Set<string>();
  for (let id: string | undefined = last.uuid; id !== undefined && !branchIds.has(id); id = parents.get(id))
    branchIds.add(id);
  const branch = entries
    // Results of parallel calls branch off: each is a child of its own call.
    .filter(({ uuid, parent, isResult }) => branchIds.has(uuid) || (isResult && branchIds.has(parent ?? "")));
  const texts = branch.flatMap((entry) => entry.texts);
  const answered = branch.slice(0, branch.findLastIndex(({ isAnswer }) => isAnswer) + 1);
  return {
    contains: (message) => hasMessage(texts, message),
    isAnswered: (message) =>
      hasMessage(
        answered.flatMap((entry) => entry.texts),
        message,
      ),
    containsText: (words) => texts.some((each) => each.includes(words)),
  };
}

interface TranscriptEntry {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly isResult: boolean;
  /** Whether the model wrote this entry. */
  readonly isAnswer: boolean;
  /** Strings that hooks added or tools returned. */
  readonly texts: readonly string[];
}

function parseEntry(line: string): TranscriptEntry[] {
  // Most lines of the file are the client's notes about its requests, not entries of the conversation.
  if (!line.includes('"parentUuid"')) return [];
  try {
    const { uuid, parentUuid, type, isSidechain, attachment, message }: JsonFields = JSON.parse(line);
    if (typeof uuid !== "string" || isSidechain === true) return [];
    const results = toArray(Object(message).content).filter((block) => Object(block).type === "tool_result");
    const isContext = Object(attachment).type === "hook_additional_context";
    const added = isContext ? toArray(Object(attachment).content) : [];
    return [
      {
        uuid,
        parent: typeof parentUuid === "string" ? parentUuid : undefined,
        isResult: results.length > 0,
        isAnswer: type === "assistant",
        texts: [...added, ...results].flatMap(collectTexts),
      },
    ];
  } catch {
    // The line is incomplete. The first line is usually cut off, and the last may not have been fully written
    // yet.
    return [];
  }
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function collectTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const { text, content } = Object(value);
  return typeof text === "string"
    ? [text]
    : [content].flat().flatMap((each) => (each ? collectTexts(each) : []));
}
