import { isInIsolate, isolate } from "./one-line.js";
import { displayWidth } from "./table.js";

/**
 * Breaks a line with colours into lines of so many columns, between words where that is possible. Each is whole by itself:
 * the colours that are on at a break are put off before it, and on again behind it. A tab is two spaces: how wide it would be
 * is the terminal's to say.
 *
 * @param wideWords - whether a word that is wider than a line is broken anywhere, or stays whole on a line of its own
 */
export function wrapLine(
  line: string,
  columns: number,
  indent = "",
  wideWords: "broken" | "whole" = "broken",
): string[] {
  if (columns === Number.POSITIVE_INFINITY) return [line];
  const lines: string[] = [];
  let on: string[] = [];
  let current = "";
  let width = 0;

  function breakLine(): void {
    // A terminal orders each line by itself.
    const isIsolated = isInIsolate(current);
    lines.push(`${current.trimEnd()}${isIsolated ? isolate.end : ""}${on.length > 0 ? reset : ""}`);
    current = `${indent}${on.join("")}${isIsolated ? isolate.start : ""}`;
    width = indent.length;
  }

  for (const part of line.replaceAll("\t", "  ").split(colour)) {
    if (colour.test(part)) {
      on = switched(on, part);
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
  lines.push(`${current.trimEnd()}${on.length > 0 ? reset : ""}`);
  return lines;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a colour begins with.
const colour = /(\u001b\[\d+m)/;
const reset = "\u001b[0m";

/** The colours that are on after this one: 39 ends a colour of letters, 22 bold and dim. */
function switched(on: readonly string[], code: string): string[] {
  switch (code) {
    case "\u001b[39m":
      return on.filter((each) => !/\[[39]\d/.test(each));
    case "\u001b[22m":
      return on.filter((each) => !/\[[12]m/.test(each));
    case reset:
      return [];
    default:
      return [...on, code];
  }
}
