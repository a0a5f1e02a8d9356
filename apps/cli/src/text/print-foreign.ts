import { neutralise } from "@merkle/wire/text";
import { endWithNewline } from "./one-line.js";

interface Printer {
  readonly json: boolean;
  readonly isTerminal: boolean;
  print(value: unknown, text: string): void;
  pageDocument(value: unknown, text: string): Promise<void>;
  note(text: string): void;
}

// Line breaks, including CR LF, and tabs are kept.
// biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point.
const controlCharacters = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g;

/**
 * Replaces terminal control characters with U+FFFD and leaves all other bytes unchanged. Used for output to a
 * file or another program, because such output often reaches a terminal through a pager or `cat`.
 */
export function replaceControlCharacters(text: string): string {
  return text.replace(controlCharacters, "\u{fffd}");
}

/**
 * Prints text written by others (CLI-111). At a terminal the text is neutralised. Elsewhere only control
 * characters are replaced. With `raw` the text is unchanged.
 */
export async function printForeign(
  output: Printer,
  value: unknown,
  text: string,
  { raw }: { raw: boolean },
): Promise<void> {
  if (raw || output.json) return output.print(value, text);
  if (output.isTerminal) return output.pageDocument(value, endWithNewline(neutralise(text)));
  const harmless = replaceControlCharacters(text);
  output.print(value, harmless);
  if (harmless !== text) output.note(controlCharactersNote);
}

export const controlCharactersNote = "  terminal control characters are shown as U+FFFD; --raw prints them";

/** The `--raw` flag of every command that prints text written by others. */
export const rawFlag = {
  flags: "--raw",
  summary: "print the text unchanged, including terminal control characters",
};
