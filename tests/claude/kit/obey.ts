import { type Block, type RequestMessage, type Shown, textOf } from "./shown.js";

/** What the model answers. */
export type Answer =
  | { readonly text: string }
  /** The service refuses the request, which the client does not try again. */
  | { readonly refusal: string }
  | { readonly calls: readonly { readonly tool: string; readonly input: unknown }[] };

const reading = "mcp__merkle__check_messages";

/**
 * A model that does what its prompts say, one step an answer: `call <tool> <json> then call <tool> <json> then say <text>`.
 * Told by another session's message that there is something to read, it reads, until there is no more. It remembers nothing:
 * everything is found in the request, as with a real one.
 */
export function obey({ messages, news }: Shown): Answer {
  const step = nextStep(messages);
  if (step !== undefined) return step;
  if (owesReading(messages) || /^\d+ more after these/m.test(news))
    return { calls: [{ tool: reading, input: {} }] };
  return { text: "done" };
}

/** The word between two steps, and not one within quotation marks, which may be a subagent's prompt. */
const stepsEnd = / then (?=(?:[^"]*"[^"]*")*[^"]*$)/;

const toPrompt = (text: string) => /^((?:call|say) .*)$/s.exec(text)?.[1] ?? scriptIn(text);

/** A prompt of a job says what is to be done in its line `Script`, as JSON unless it is plain. */
function scriptIn(text: string): string | undefined {
  const told = /^Use the .*\nScript: (.*?)\n/s.exec(text)?.[1];
  return told?.startsWith('"') ? String(JSON.parse(told)) : told;
}

function nextStep(messages: readonly RequestMessage[]): Answer | undefined {
  const texts = messages.map((message) => promptIn(message));
  const at = texts.findLastIndex((text) => text !== undefined);
  const steps = texts[at]?.split(stepsEnd) ?? [];
  const taken = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const step = steps[taken];
  if (step === undefined) return undefined;
  const call = /^call (\S+) (.*)$/s.exec(step);
  if (!call) return { text: step.replace(/^say /, "") };
  return { calls: [{ tool: call[1] ?? "", input: JSON.parse(call[2] ?? "{}") }] };
}

function promptIn({ role, content }: RequestMessage): string | undefined {
  if (role !== "user") return undefined;
  const texts = typeof content === "string" ? [content] : content.map((block) => block.text ?? "");
  return texts
    .map(toPrompt)
    .findLast((text) => text !== undefined)
    ?.trim();
}

/** Whether another session's message came after the last reading. */
function owesReading(messages: readonly RequestMessage[]): boolean {
  const told = messages.findLastIndex(({ role, content }) => role !== "assistant" && isWake(textOf(content)));
  const read = messages.findLastIndex(
    ({ role, content }) => role === "assistant" && typeof content !== "string" && content.some(reads),
  );
  return told > read;
}

/** The client puts these words around what comes in by its inbox. */
export const isWake = (text: string) =>
  /Another Claude session sent a message|sent a message while you were working/.test(text);

const reads = ({ name }: Block) => name === reading || name === "mcp__merkle__wait_for_messages";
