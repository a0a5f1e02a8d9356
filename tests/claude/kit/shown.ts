/** The part of a Messages API request that matters here. */
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
  /** A tool's name, when the model calls it. */
  readonly name?: string;
  /** What a tool gave. */
  readonly content?: string | readonly Block[];
}

/** What one request shows to the model. */
export interface Shown {
  /** When it came, by `performance.now()`. */
  readonly atMs: number;
  readonly bySubagent: boolean;
  readonly messages: readonly RequestMessage[];
  /** Everything that came since the model last spoke: prompts, results, what hooks and other sessions put in. */
  readonly news: string;
  /** All that others said in the conversation as it stands. */
  readonly conversation: string;
}

export function toShown(request: ModelRequest, atMs: number): Shown {
  const { messages, system = "" } = request;
  const lastSpoken = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    atMs,
    bySubagent: /cc_is_subagent=true|You are an agent for Claude Code/.test(textOf(system)),
    messages,
    news: saidIn(messages.slice(lastSpoken + 1)),
    conversation: saidIn(messages),
  };
}

/** The side requests, for a title or a summary, offer no tools or want a form. */
export function isSideRequest({ tools = [], output_config }: ModelRequest): boolean {
  return tools.length === 0 || output_config?.format !== undefined;
}

function saidIn(messages: readonly RequestMessage[]): string {
  return messages
    .filter(({ role }) => role !== "assistant")
    .map(({ content }) => textOf(content))
    .join("\n");
}

export function textOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? textOf(block.content ?? "")).join("\n");
}

/** The letters that a test sent, in the order in which the model sees them in this text. */
export function lettersIn(text: string): string[] {
  return text.match(/\bletter-\d+\b/g) ?? [];
}

/** How often each letter stands in a text, and how often without it being said that it may have been seen already. */
export function countShown(text: string): Map<string, { readonly times: number; readonly unmarked: number }> {
  const found = new Map<string, { times: number; unmarked: number }>();
  let again: readonly string[] = [];
  for (const line of text.split("\n")) {
    // A tool names in its first line what it shows again; a hook says so before each.
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
