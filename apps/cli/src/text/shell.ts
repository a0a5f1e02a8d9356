/** Words as a line that a POSIX shell reads as the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A word as it is typed: a command that is told can be copied as it stands. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // Easier to read where an apostrophe is in it, as in a team's name.
  if (!/["\\$`!]/.test(text) && text.includes("'")) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
