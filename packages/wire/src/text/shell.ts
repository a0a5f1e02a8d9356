/** Formats words as a line that a POSIX shell parses into the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** Quotes a text as one word of a POSIX shell command. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // Double quotes are more readable around an apostrophe, as in a team's name.
  if (!/["\\$`!]/.test(text) && text.includes("'")) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
