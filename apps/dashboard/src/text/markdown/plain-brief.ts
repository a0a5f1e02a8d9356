/** How a text begins, for a line or two of a list: without the signs of markdown that are in the way most. */
export function plainBrief(text: string): string {
  return text
    .replace(/^ {0,3}(```|~~~).*$/gm, "")
    .replace(/^ {0,3}#{1,6} +/gm, "")
    .replace(/\*\*|`/g, "")
    .trim();
}
