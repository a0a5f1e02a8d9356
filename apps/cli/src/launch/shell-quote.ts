import { shellWord } from "../shell-word.js";

/** Words as a line that a POSIX shell reads as the same words. */
export function toShellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
