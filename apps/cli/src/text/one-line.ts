import { formatNumber, neutralise } from "@merkle/wire/text";

/** Formats text written by others for one line of a terminal: without control characters and line breaks. */
export function toOneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, " ").trim();
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}\p{Script=Hanifi_Rohingya}]/u;

/**
 * Isolates right-to-left text, which would otherwise reorder the rest of its line. The text must
 * already be neutralised, so that it cannot end the isolation.
 */
export function isolateRightToLeft(text: string): string {
  return rightToLeft.test(text) ? text.replace(/[^\n]+/g, `${isolate.start}$&${isolate.end}`) : text;
}

/**
 * The characters around isolated text. U+2068 starts an isolate, which takes the direction of its first
 * letter, and U+2069 ends it.
 */
export const isolate = { start: "\u2068", end: "\u2069" } as const;

/** Returns whether truncated text ends inside an isolate. */
export function isInIsolate(text: string): boolean {
  return text.lastIndexOf(isolate.start) > text.lastIndexOf(isolate.end);
}

/**
 * Formats text written by others over several lines. Indents each line, so that none can pose as a line from
 * Merkle.
 */
export function indentText(text: string): string {
  return neutralise(text).replace(/^(?=.)/gm, "  ");
}

/** Truncates text to a number of characters. If the text was longer, appends its full length. */
export function cutText(text: string, charsMax: number): string {
  const chars = [...text];
  if (chars.length <= charsMax) return text;
  return `${chars.slice(0, charsMax).join("")}… (${formatNumber(chars.length)} characters)`;
}

/** Ends text with a line break, so that the shell's prompt begins on a new line. */
export function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
