import { type Message, neutralise } from "@merkle/wire";

/** How messages look on this terminal. */
export interface MessageStyle {
  readonly arrow: string;
  readonly dot: string;
  dim(text: string): string;
}

/** What is known of the team that said something. */
export interface Author {
  /** Whether it is the team of whoever reads. */
  readonly own: boolean;
  colour(text: string): string;
}

/**
 * A message for a person's eyes, without its line break. What others wrote cannot steer the terminal, and every later line of it
 * is indented, so that it cannot pass for another message.
 */
export function formatMessage(message: Message, author: Author, style: MessageStyle): string {
  const place = `${localTime(message.posted_at)} #${message.sequence}`;
  if (message.type === "system")
    return style.dim(`${place} ${style.dot} ${describeEvent(message, style.arrow)}`);
  const { from, to, content } = message;
  const name = author.own ? "you" : oneLine(from?.team ?? "");
  const human = from?.human ? "  HUMAN" : "";
  return `${style.dim(place)} ${author.colour(name)} ${style.arrow} ${readers(to)}${human}  ${indented(textOf(content["text"]))}`;
}

/** The local day of a message, for a line of its own where it changes. */
export function localDay(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getFullYear(), padded(at.getMonth() + 1), padded(at.getDate())].join("-");
}

function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(":");
}

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

function readers(to: readonly string[]): string {
  return to.map((each) => (each === "*" ? "everyone" : oneLine(each))).join(", ");
}

function describeEvent({ content }: Message, arrow: string): string {
  const { event, at: _at, ...fields } = content;
  switch (event) {
    case "team_joined":
      return `${oneLine(textOf(fields["team"]))} joined`;
    case "team_left":
      return `${oneLine(textOf(fields["team"]))} left`;
    case "session_metadata_updated":
      return describeChanges(fields, arrow);
    case "session_concluded":
      return `concluded by ${oneLine(textOf(fields["by"]))}, document v${textOf(fields["document_version"])}`;
    default:
      return [textOf(event), ...Object.entries(fields).map(([name, value]) => `${name} ${textOf(value)}`)]
        .map(oneLine)
        .join(", ");
  }
}

function describeChanges({ by, changes, reason }: Record<string, unknown>, arrow: string): string {
  const changed = typeof changes === "object" && changes !== null ? { ...changes } : {};
  const told = [
    "title" in changed && `renamed the session: ${describeChange(changed.title, arrow)}`,
    "description" in changed && "changed the description",
  ].filter((each) => each !== false);
  return `${oneLine(textOf(by))} ${told.join(" and ")} (${indented(textOf(reason))})`;
}

function describeChange(change: unknown, arrow: string): string {
  const { from, to }: Record<string, unknown> = typeof change === "object" ? { ...change } : {};
  return `${quotedLine(from)} ${arrow} ${quotedLine(to)}`;
}

function quotedLine(text: unknown): string {
  return `"${oneLine(textOf(text))}"`;
}

/** Under the text of the lines around it: the width of a time, and a space. */
const indent = " ".repeat(9);

function indented(text: string): string {
  return neutralise(text).replaceAll("\n", `\n${indent}`);
}

function oneLine(text: string): string {
  return neutralise(text).replaceAll("\n", " ");
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
