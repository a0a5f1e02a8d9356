import type { Message } from "@merkle/wire";
import { splitSections } from "../../text/split-sections";
import { readMessageText } from "./message-text";

const decisionCharsMax = 500;

/** Returns the document with the message added to its section "Decisions". Adds the section if it is missing. */
export function insertDecision(content: string, message: Message, link: string): string {
  const point = `- ${toLine(readMessageText(message))} ([#${message.sequence}](${link}))\n`;
  const sections = splitSections(content);
  const index = sections.findIndex(({ level, title }) => level > 0 && /^decisions$/i.test(title));
  if (index < 0) return `${content === "" ? "" : `${content.trimEnd()}\n\n`}## Decisions\n\n${point}`;
  return sections
    .map(({ text }, at) => (at === index ? appendPoint(text, point, sections[at + 1]) : text))
    .join("");
}

function appendPoint(section: string, point: string, next: unknown): string {
  const trimmed = section.trimEnd();
  return `${trimmed}\n${hasListAtEnd(trimmed) ? "" : "\n"}${point}${next === undefined ? "" : "\n"}`;
}

/** True if the text ends with a list item, or with lines indented below a list item. */
function hasListAtEnd(text: string): boolean {
  const last = text.split("\n").findLast((line) => /^[ \t]*[-*+][ \t]/.test(line) || !/^[ \t]/.test(line));
  return last !== undefined && /^[ \t]*[-*+][ \t]/.test(last);
}

function toLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > decisionCharsMax ? `${line.slice(0, decisionCharsMax)}…` : line;
}
