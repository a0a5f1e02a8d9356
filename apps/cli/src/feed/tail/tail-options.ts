import { type Message, parseInstant } from "@merkle/wire";
import { parseDuration } from "@merkle/wire/text";
import { usageError } from "../../core/cli-error.js";
import { type Flags, findFlag, isSet } from "../../core/flags.js";

/** The position where a tail starts. */
export type TailStart =
  | { readonly is: "last"; readonly count: number }
  | { readonly is: "after"; readonly sequence: number }
  | { readonly is: "ago"; readonly seconds: number }
  | { readonly is: "unread" };

/** The types that `--types` accepts. `ask` includes answers. Questions and decisions also count as `chat`. */
const messageTypes = ["chat", "system", "ask", "decision"] as const;
type MessageType = (typeof messageTypes)[number];

export interface TailOptions {
  readonly since: TailStart;
  /** The types of messages to print. Undefined prints all types. */
  readonly types: readonly MessageType[] | undefined;
  readonly from: string | undefined;
  readonly untilClosed: boolean;
  readonly timeoutMs: number | undefined;
}

const lastMessagesDefault = 10;
/** The longest timeout that a timer supports. */
const timeoutSecondsMax = Math.floor((2 ** 31 - 1) / 1_000);

/** Reads the flags of a tail. @throws CliError `usage` that names the invalid flag */
export function readTailOptions(flags: Flags): TailOptions {
  return {
    since: readSince(findFlag(flags, "since")) ?? { is: "last", count: lastMessagesDefault },
    types: readTypes(findFlag(flags, "types")),
    from: findFlag(flags, "from"),
    untilClosed: isSet(flags, "untilClosed"),
    timeoutMs: readTimeout(findFlag(flags, "timeout")),
  };
}

/** Parses the value of `--since`. @throws CliError `usage` for an invalid value */
export function readSince(text: string | undefined): Exclude<TailStart, { is: "last" }> | undefined {
  if (text === undefined) return undefined;
  if (text === "unread") return { is: "unread" };
  if (/^\d{1,15}$/.test(text)) return { is: "after", sequence: Number(text) };
  const seconds = parseDuration(text);
  if (seconds !== null) return { is: "ago", seconds };
  const instant = parseInstant(text);
  if (instant !== null) return { is: "ago", seconds: Math.max(0, (Date.now() - instant.from) / 1_000) };
  throw usageError(
    `--since must be a message's number such as 405, a time such as 10m, 2h or 2026-05-02T14:05, or unread, got ${JSON.stringify(text)}.`,
  );
}

function readTypes(text: string | undefined): MessageType[] | undefined {
  return text?.split(",").map((each) => {
    const type = messageTypes.find((known) => known === each.trim());
    if (type !== undefined) return type;
    throw usageError(
      `--types must be one or more of ${messageTypes.join(", ")}, separated by commas, got ${JSON.stringify(text)}.`,
    );
  });
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds <= timeoutSecondsMax) return seconds * 1_000;
  throw usageError(
    `--timeout must be a number of seconds from 0 to ${timeoutSecondsMax}, got ${JSON.stringify(text)}.`,
  );
}

/** Creates the filter that the flags describe: by type, and by the team that posted or caused the message. */
export function createFilter({
  types,
  from,
}: Pick<TailOptions, "types" | "from">): (message: Message) => boolean {
  const team = from?.trim().toLowerCase();
  return (message) =>
    (types === undefined || types.some((type) => isOfType(message, type))) &&
    (team === undefined || toTeamName(message).toLowerCase() === team);
}

function isOfType({ type, content }: Message, filter: MessageType): boolean {
  switch (filter) {
    case "ask":
      return type === "chat" && (content["kind"] === "ask" || content["answer"] !== undefined);
    case "decision":
      return type === "chat" && content["kind"] === "decision";
    default:
      return type === filter;
  }
}

function toTeamName({ from, content }: Message): string {
  const team = from?.team ?? content["by"] ?? content["team"];
  return typeof team === "string" ? team : "";
}
