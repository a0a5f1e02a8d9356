/** Words as a line that a POSIX shell reads as the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // Easier to read where an apostrophe is in it, as in a team's name.
  if (!/["\\$`!]/.test(word) && word.includes("'")) return `"${word}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A word as it is typed: a command that is told can be copied as it stands. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
