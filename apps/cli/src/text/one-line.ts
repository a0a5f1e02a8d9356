import { neutralise } from "@merkle/wire/text";

/** Text of others for one line of a terminal, which it cannot command or break. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, " ").trim();
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}\p{Script=Hanifi_Rohingya}]/u;

/**
 * Sets right-to-left text off from the line around it, whose words would otherwise change places with it. Expects text that
 * is neutralised: what others wrote then cannot end the isolate.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? text.replace(/[^\n]+/g, `${isolate.start}$&${isolate.end}`) : text;
}

/** U+2068 takes the direction of the first letter behind it; U+2069 ends that. */
export const isolate = { start: "\u2068", end: "\u2069" } as const;

/** Whether a text that was cut ends inside an isolate. */
export function isInIsolate(text: string): boolean {
  return text.lastIndexOf(isolate.start) > text.lastIndexOf(isolate.end);
}

/** Text of others for several lines, each of them indented, so that none can pass for a line of ours. */
export function indented(text: string): string {
  return neutralise(text).replace(/^(?=.)/gm, "  ");
}

/** A text of at most so many characters; where more is left out, it says how long it is. */
export function cutText(text: string, charsMax: number): string {
  const chars = [...text];
  if (chars.length <= charsMax) return text;
  return `${chars.slice(0, charsMax).join("")}… (${chars.length.toLocaleString("en")} characters)`;
}

/** Text for a terminal, whose prompt is to stand on a line of its own. */
export function endingWithLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
