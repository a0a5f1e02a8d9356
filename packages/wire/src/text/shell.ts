/** Words as a line that a POSIX shell reads as the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A text as one word of a POSIX shell command, whatever it contains. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // Double quotes read better around an apostrophe, as in a team's name.
  if (!/["\\$`!]/.test(text) && text.includes("'")) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
