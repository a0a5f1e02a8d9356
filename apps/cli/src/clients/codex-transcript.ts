import type { JsonFields } from "../core/is-object.js";
import { findRollout } from "./codex-paths.js";
import { hasMessage, type TranscriptFormat } from "./transcript.js";
import { parseLines } from "./usage-record.js";

/**
 * The format of Codex's rollouts: the model's input and output in order, one entry per line. A compaction or
 * rollback changes earlier entries in ways that this parser does not support, so the format of such a rollout
 * counts as unknown.
 */
export const codexTranscript: TranscriptFormat = {
  find: findRollout,
  parse(text) {
    const lines = parseLines(text, '"payload"');
    if (lines.length === 0 || lines.some(changesHistory)) return undefined;
    const items = lines.filter(({ type }) => type === "response_item").map(({ payload }) => Object(payload));
    const collectTexts = (selected: typeof items) =>
      selected.filter((each) => !isAnswer(each)).flatMap(toTexts);
    const texts = collectTexts(items);
    const answered = collectTexts(items.slice(0, items.findLastIndex(isAnswer) + 1));
    return {
      contains: (message) => hasMessage(texts, message),
      isAnswered: (message) => hasMessage(answered, message),
      containsText: (words) => texts.some((each) => each.includes(words)),
    };
  },
};

function changesHistory({ type, payload }: JsonFields): boolean {
  return type === "compacted" || /rolled_back/.test(String(Object(payload).type));
}

function isAnswer({ type, role }: JsonFields): boolean {
  return role === "assistant" || type === "function_call" || type === "reasoning";
}

/** Returns the strings in prompts, hook output and tool results. */
function toTexts({ content, output }: JsonFields): string[] {
  return [content ?? output].flat().flatMap((each) => {
    const { text = each } = Object(each);
    return typeof text === "string" ? [unwrap(text)] : [];
  });
}

/** Codex wraps the reason of a blocked Stop in this XML element. */
const hookPrompt = /^<hook_prompt [^>]*>(.*)<\/hook_prompt>$/s;
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unwrap(text: string): string {
  const reason = hookPrompt.exec(text)?.[1];
  return reason?.replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole) ?? text;
}
