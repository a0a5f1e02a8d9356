import { isRedacted, type Message } from "@merkle/wire";
import { describeRemovalInLine } from "../../text/describe-removal";
import { describeEvent } from "./describe-event";

/** Returns a message's text. Pages cannot decrypt private messages, so a private message is described by its size. */
export function readMessageText(message: Message): string {
  const { content } = message;
  if (isRedacted(message)) return describeRemovalInLine(message.redaction);
  if (isPrivate(message)) return `Private, ${describeSize(message)}`;
  return typeof content["text"] === "string" ? content["text"] : "";
}

export function isPrivate({ content }: Message): boolean {
  return content["private"] === true;
}

export function describeSize({ content }: Message): string {
  const { bytes } = content;
  return `${(typeof bytes === "number" ? bytes : 0).toLocaleString("en")} bytes`;
}

export function readKind({ content }: Message): "plain" | "ask" | "decision" {
  const { kind } = content;
  return kind === "ask" || kind === "decision" ? kind : "plain";
}

/** Returns the options that an ask offers. */
export function readOptions({ content }: Message): readonly string[] {
  const { options } = content;
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
}

const shownLinesMax = 24;
const shownCharsMax = 4_000;

export interface ClippedText {
  readonly text: string;
  /** Describes the length of the full text, such as `all 80 lines`. Null if nothing was cut off. */
  readonly wholeLabel: string | null;
}

/** Cuts off long text and describes its full length. */
export function clipText(text: string): ClippedText {
  const lines = text.split("\n");
  if (lines.length > shownLinesMax) {
    const shownText = lines.slice(0, shownLinesMax).join("\n").slice(0, shownCharsMax);
    return { text: shownText, wholeLabel: `all ${lines.length.toLocaleString("en")} lines` };
  }
  if (text.length <= shownCharsMax * 1.5) return { text, wholeLabel: null };
  return {
    text: text.slice(0, shownCharsMax),
    wholeLabel: `all ${text.length.toLocaleString("en")} characters`,
  };
}

/** Formats a message as a markdown quotation with author, time and text. An event is described in words. */
export function toMarkdown(message: Message, link: string): string {
  const { from, to, posted_at, sequence } = message;
  const author = from?.peer === undefined ? (from?.team ?? "Merkle") : `${from.team}/${from.peer}`;
  const recipients = to.map((name) => (name === "*" ? "everyone" : name)).join(", ");
  return `**${author} → ${recipients}**, ${posted_at}, [#${sequence}](${link})\n\n${describeEventText(message)}`;
}

function describeEventText(message: Message): string {
  if (message.type === "chat" && !isRedacted(message)) return readMessageText(message);
  const { text, reason } =
    message.type === "chat" ? { text: readMessageText(message), reason: null } : describeEvent(message);
  // Removes the isolate characters around names, because only the page needs them.
  return (reason === null ? text : `${text}\n\nReason: ${reason}`).replace(/[\u2066-\u2069]/g, "");
}
