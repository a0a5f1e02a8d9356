import { neutralise } from "@merkle/wire/text";

/** Text of others for one line of a terminal, which it cannot command or break. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, " ").trim();
}

/** The same for several lines, each of them indented, so that none can pass for a line of ours. */
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
