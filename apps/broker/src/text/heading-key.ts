/**
 * What two headings share that read alike: their text in lower case without inline markup, a closing colon and spare spaces.
 * Underscores count as markup, also within a word, so that one pass is enough.
 */
export function headingKey(text: string): string {
  const unlinked = text.includes("](") ? text.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1") : text;
  const key = unlinked
    .replace(/[\\`*_~]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  return key.endsWith(":") ? key.slice(0, -1).trimEnd() : key;
}
