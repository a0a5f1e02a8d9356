import type { Message } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { renderMarkdown } from "../../text/render-markdown.js";
import { toJson } from "../../text/to-json.js";
import { wrapLine } from "../../text/wrap-line.js";
import { type AuthorStyle, formatMessage, indent, toLocalDay } from "../format-message.js";

export interface MessagePrinter {
  /** Prints a message. Resolves with false if the reader has closed the output. */
  print(message: Message): Promise<boolean>;
}

/** Creates a printer that writes each message unchanged, as one line of JSON. */
export function createJsonPrinter(output: Output): MessagePrinter {
  return { print: (message) => output.writeLine(toJson(message)) };
}

/**
 * Creates a printer for people. Prints a line with the date if the first message is not from today, and
 * whenever the date changes.
 *
 * Wraps long lines itself. If the terminal wrapped them, the continuation would start in the first column
 * like a new message.
 */
export function createTextPrinter(
  output: Output,
  teams: { find(teamId: string | null): Promise<AuthorStyle> },
): MessagePrinter {
  const format = createTextFormat(output, teams);
  return {
    print: async (message) => output.writeLine(breakLines(await format(message), output.columns)),
  };
}

type MessageOutput = Pick<Output, "signs" | "dot" | "dim" | "markdown">;

/** Wraps a message to the given number of columns. */
export function breakLines(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, columns, indent))
    .join("\n");
}

/**
 * Creates a function that formats a feed's messages in order, and adds the date before the first message of
 * each day.
 */
export function createTextFormat(
  output: MessageOutput,
  teams: { find(teamId: string | null): Promise<AuthorStyle> },
): (message: Message) => Promise<string> {
  const formatAlone = createMessageFormat(output, teams);
  let day = toLocalDay(new Date().toISOString());
  return async (message) => {
    const text = await formatAlone(message);
    const messageDay = toLocalDay(message.posted_at);
    if (messageDay === day) return text;
    day = messageDay;
    return `${output.dim(day)}\n${text}`;
  };
}

/** Creates a function that formats messages without adding dates. */
export function createMessageFormat(
  output: MessageOutput,
  teams: { find(teamId: string | null): Promise<AuthorStyle> },
): (message: Message) => Promise<string> {
  const { markdown } = output;
  const style = {
    arrow: output.signs.arrow,
    dot: output.dot,
    dim: output.dim,
    ...(markdown && { render: (text: string) => renderMarkdown(text, markdown) }),
  };
  return async (message) => formatMessage(message, await teams.find(message.posted_by_team_id), style);
}
