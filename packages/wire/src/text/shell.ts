/** Joins words into a line that a POSIX shell splits into the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(toShellWord).join(" ");
}

/** Quotes a string so that a POSIX shell reads it as one word. */
export function toShellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // If the string contains an apostrophe, for example in a team's name, double quotes are more readable.
  if (!/["\\$`!]/.test(text) && text.includes("'")) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
