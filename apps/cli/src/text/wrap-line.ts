import { displayWidth } from "./display-width.js";
import { isInIsolate, isolate } from "./one-line.js";

/**
 * Wraps a line that may contain colour codes to a number of columns, between words where possible. Each
 * resulting line is complete: colours are reset before a break and restored after it. A tab becomes two
 * spaces, because the width of a tab depends on the terminal.
 *
 * @param wideWords - whether a word wider than a line is broken, or kept whole on its own line
 */
export function wrapLine(
  line: string,
  columns: number,
  indent = "",
  wideWords: "broken" | "whole" = "broken",
): string[] {
  if (columns === Number.POSITIVE_INFINITY) return [line];
  const lines: string[] = [];
  let activeStyles: string[] = [];
  let current = "";
  let width = 0;

  function breakLine(): void {
    // Terminals order the text of each line separately, so an isolate must end with its line.
    const isIsolated = isInIsolate(current);
    lines.push(`${current.trimEnd()}${isIsolated ? isolate.end : ""}${activeStyles.length > 0 ? reset : ""}`);
    current = `${indent}${activeStyles.join("")}${isIsolated ? isolate.start : ""}`;
    width = indent.length;
  }

  for (const part of line.replaceAll("\t", "  ").split(colour)) {
    if (colour.test(part)) {
      activeStyles = updateStyles(activeStyles, part);
      current += part;
      continue;
    }
    for (const word of part.split(/(?<=\s)/)) {
      const wordWidth = displayWidth(word.trimEnd());
      if (wordWidth > 0 && width + wordWidth > columns && width > indent.length) breakLine();
      const isBroken = wideWords === "broken" && wordWidth > columns - indent.length;
      for (const piece of isBroken ? [...word] : [word]) {
        if (isBroken && width + displayWidth(piece.trimEnd()) > columns) breakLine();
        current += piece;
        width += displayWidth(piece);
      }
    }
  }
  lines.push(`${current.trimEnd()}${activeStyles.length > 0 ? reset : ""}`);
  return lines;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a colour begins with.
const colour = /(\u001b\[\d+m)/;
const reset = "\u001b[0m";

/**
 * Returns the colour codes that are active after this code. Code 39 resets the text colour, and code 22
 * resets bold and dim.
 */
function updateStyles(activeStyles: readonly string[], code: string): string[] {
  switch (code) {
    case "\u001b[39m":
      return activeStyles.filter((each) => !/\[[39]\d/.test(each));
    case "\u001b[22m":
      return activeStyles.filter((each) => !/\[[12]m/.test(each));
    case reset:
      return [];
    default:
      return [...activeStyles, code];
  }
}
