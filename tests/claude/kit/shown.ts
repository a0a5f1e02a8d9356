/** The fields in a Messages API request that the tests use. */
export interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly messages: readonly RequestMessage[];
  readonly tools?: readonly { readonly name: string }[];
  readonly output_config?: { readonly format?: unknown };
}

export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  /** The tool's name in a tool call. */
  readonly name?: string;
  /** The content of a tool's result. */
  readonly content?: string | readonly Block[];
}

/** The content that one request shows to the model. */
export interface ModelPrompt {
  /** When the request arrived, as a `performance.now()` value. */
  readonly atMs: number;
  /** The size of the request's body in bytes. */
  readonly bytes: number;
  readonly bySubagent: boolean;
  /** The tools whose schemas the request contains. */
  readonly tools: readonly string[];
  readonly messages: readonly RequestMessage[];
  /**
   * Everything that was added since the model's last reply: prompts, results, and text from hooks and other sessions.
   */
  readonly news: string;
  /** The whole conversation in the request, without the model's own replies. */
  readonly conversation: string;
}

export function toShown(
  request: ModelRequest,
  { atMs, bytes }: Pick<ModelPrompt, "atMs" | "bytes">,
): ModelPrompt {
  const { messages, system = "", tools = [] } = request;
  const lastSpoken = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    atMs,
    bytes,
    bySubagent: /cc_is_subagent=true|You are an agent for Claude Code/.test(toText(system)),
    tools: tools.map(({ name }) => name),
    messages,
    news: toInputText(messages.slice(lastSpoken + 1)),
    conversation: toInputText(messages),
  };
}

/** True for requests that ask for a title or a summary. These requests offer no tools or require an output format. */
export function isSideRequest({ tools = [], output_config }: ModelRequest): boolean {
  return tools.length === 0 || output_config?.format !== undefined;
}

function toInputText(messages: readonly RequestMessage[]): string {
  return messages
    .filter(({ role }) => role !== "assistant")
    .map(({ content }) => toText(content))
    .join("\n");
}

export function toText(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? toText(block.content ?? "")).join("\n");
}

/** Returns the names of the test messages that occur in a string, in order. */
export function listLetters(text: string): string[] {
  return text.match(/\bletter-\d+\b/g) ?? [];
}

/** Counts how often each test message occurs in a string: in total, and without the mark for possible repeats. */
export function countShown(text: string): Map<string, { readonly times: number; readonly unmarked: number }> {
  const found = new Map<string, { times: number; unmarked: number }>();
  let again: readonly string[] = [];
  for (const line of text.split("\n")) {
    // A tool lists repeated messages in its first line. A hook marks each repeated message.
    const named = /^\(again\) you may have seen already: (.*)/.exec(line)?.[1]?.split(" ");
    if (named) again = named;
    else if (!/^[#( ]/.test(line)) again = [];
    const [, mark, number = "", letter = ""] = /^(\(again\) )?(#\d+) .*?(letter-\d+)\b/.exec(line) ?? [];
    if (letter === "") continue;
    const count = found.get(letter) ?? { times: 0, unmarked: 0 };
    count.times += 1;
    if (mark === undefined && !again.includes(number)) count.unmarked += 1;
    found.set(letter, count);
  }
  return found;
}
