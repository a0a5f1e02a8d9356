/** Returns the text for a preview of one or two lines, without the most distracting markdown syntax. */
export function toPlainBrief(text: string): string {
  return text
    .replace(/^ {0,3}(```|~~~).*$/gm, "")
    .replace(/^ {0,3}#{1,6} +/gm, "")
    .replace(/\*\*|`/g, "")
    .trim();
}
