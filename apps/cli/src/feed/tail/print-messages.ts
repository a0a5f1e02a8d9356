import type { Message } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { toJson } from "../../text/to-json.js";
import { wrapLine } from "../../text/wrap-line.js";
import { type Author, formatMessage, indent, localDay } from "../format-message.js";

export interface MessagePrinter {
  /** Resolves with false when nobody reads any more. */
  print(message: Message): Promise<boolean>;
}

/** One message a line, as it came. */
export function createJsonPrinter(output: Output): MessagePrinter {
  return { print: (message) => output.writeLine(toJson(message)) };
}

/**
 * Messages for people, with a line for the day where it is not today's or changes. At a terminal long lines are broken here:
 * where it breaks them itself, what follows begins in the first column, as a message does.
 */
export function createTextPrinter(
  output: Output,
  teams: { find(teamId: string | null): Promise<Author> },
): MessagePrinter {
  const format = createTextFormat(output, teams);
  return {
    print: async (message) => output.writeLine(breakLines(await format(message), output.columns)),
  };
}

/** A message as it stands in so many columns. */
export function breakLines(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, columns, indent))
    .join("\n");
}

/** Prints each message of a feed, in order: the day belongs to the first message of it. */
export function createTextFormat(
  output: Pick<Output, "signs" | "dot" | "dim">,
  teams: { find(teamId: string | null): Promise<Author> },
): (message: Message) => Promise<string> {
  const formatAlone = createMessageFormat(output, teams);
  let day = localDay(new Date().toISOString());
  return async (message) => {
    const text = await formatAlone(message);
    const messageDay = localDay(message.posted_at);
    if (messageDay === day) return text;
    day = messageDay;
    return `${output.dim(day)}\n${text}`;
  };
}

/** The same without its day. */
export function createMessageFormat(
  output: Pick<Output, "signs" | "dot" | "dim">,
  teams: { find(teamId: string | null): Promise<Author> },
): (message: Message) => Promise<string> {
  const style = { arrow: output.signs.arrow, dot: output.dot, dim: output.dim };
  return async (message) => formatMessage(message, await teams.find(message.posted_by_team_id), style);
}
