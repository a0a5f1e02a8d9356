import { type Block, type ModelPrompt, type RequestMessage, toText } from "./shown.js";

export type Answer =
  | { readonly text: string }
  /** The model's API rejects the request. The client does not retry. */
  | { readonly refusal: string }
  | { readonly calls: readonly { readonly tool: string; readonly input: unknown }[] };

const reading = "mcp__merkle__check_messages";

/**
 * A model that follows its prompts, one step per reply: `call <tool> <json> then call <tool> <json> then say <text>`.
 * If another session's message announces unread messages, the model reads until none are left. Like a real model, it
 * keeps no state and sees only the current request.
 */
export function obey({ messages, news }: ModelPrompt): Answer {
  const step = findNextStep(messages);
  if (step !== undefined) return step;
  if (hasUnread(messages) || /^\d+ more after these/m.test(news))
    return { calls: [{ tool: reading, input: {} }] };
  return { text: "done" };
}

/**
 * Matches the word "then" between two steps, but not in quotation marks, where it may belong to a subagent's prompt.
 */
const stepsEnd = / then (?=(?:[^"]*"[^"]*")*[^"]*$)/;

const toPrompt = (text: string) => /^((?:call|say) .*)$/s.exec(text)?.[1] ?? findScript(text);

/** Returns the `Script` line of a job's prompt. Parses the line if it is a JSON string. */
function findScript(text: string): string | undefined {
  const script = /^Use the .*\nScript: (.*?)\n/s.exec(text)?.[1];
  return script?.startsWith('"') ? String(JSON.parse(script)) : script;
}

function findNextStep(messages: readonly RequestMessage[]): Answer | undefined {
  const texts = messages.map((message) => findPrompt(message));
  const at = texts.findLastIndex((text) => text !== undefined);
  const steps = texts[at]?.split(stepsEnd) ?? [];
  const taken = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const step = steps[taken];
  if (step === undefined) return undefined;
  const call = /^call (\S+) (.*)$/s.exec(step);
  if (!call) return { text: step.replace(/^say /, "") };
  return { calls: [{ tool: call[1] ?? "", input: JSON.parse(call[2] ?? "{}") }] };
}

function findPrompt({ role, content }: RequestMessage): string | undefined {
  if (role !== "user") return undefined;
  const texts = typeof content === "string" ? [content] : content.map((block) => block.text ?? "");
  return texts
    .map(toPrompt)
    .findLast((text) => text !== undefined)
    ?.trim();
}

/** True if a message from another session arrived after the last read. */
function hasUnread(messages: readonly RequestMessage[]): boolean {
  const lastWake = messages.findLastIndex(
    ({ role, content }) => role !== "assistant" && isWake(toText(content)),
  );
  const read = messages.findLastIndex(
    ({ role, content }) => role === "assistant" && typeof content !== "string" && content.some(reads),
  );
  return lastWake > read;
}

/** Matches the words that the client adds around messages from its inbox. */
export const isWake = (text: string) =>
  /Another Claude session sent a message|sent a message while you were working/.test(text);

const reads = ({ name }: Block) => name === reading || name === "mcp__merkle__wait_for_messages";
