/**
 * Returns the first line of markdown that is neither blank nor a heading, without markup, for use as a summary
 * in lists. Returns null if there is no such line.
 */
export function findFirstLine(markdown: string): string | null {
  for (const block of markdown.replace(/^(?:.+\n)?(?:=+|-+)[ \t]*$/gm, "").split(/\r\n|\r|\n/)) {
    if (/^ {0,3}#{1,6}(?:\s|$)/.test(block) || /^\s*(?:```|~~~)/.test(block)) continue;
    const text = stripMarks(block);
    if (text !== "") return text.length > charsMax ? `${cutAt(text, charsMax - 1)}…` : text;
  }
  return null;
}

const charsMax = 200;
/** Maximum length of a line that is parsed. With many unclosed marks, matching takes time quadratic in the length. */
const lineCharsMax = 1_000;

/** Removes block markers at the start of a line, and the markup of emphasis, code and links within it. */
function stripMarks(line: string): string {
  return line
    .slice(0, lineCharsMax)
    .replace(/^\s*(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|~~|(?<!`)`+(?!`))(.+?)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}])([*_])(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu, "$2")
    .trim();
}

/** Cuts a string to a maximum length, without splitting a surrogate pair. */
function cutAt(text: string, chars: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars);
}
