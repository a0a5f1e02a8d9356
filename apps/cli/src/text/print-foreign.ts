import { neutralise } from "@merkle/wire/text";
import { endingWithLine } from "./one-line.js";

interface Printer {
  readonly json: boolean;
  readonly terminal: boolean;
  print(value: unknown, text: string): void;
  note(text: string): void;
}

// Line breaks, CR LF among them, and tabs stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point.
const steering = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g;

/**
 * A text of others for a file or another program: byte for byte, except that characters which steer a terminal become U+FFFD.
 * Such a text often reaches a terminal after all, by a pager or `cat`.
 */
export function withoutSteering(text: string): string {
  return text.replace(steering, "\u{fffd}");
}

/** Prints a text of others: neutralised at a terminal, without steering characters elsewhere, as it is with `raw` (CLI-111). */
export function printForeign(output: Printer, value: unknown, text: string, { raw }: { raw: boolean }): void {
  if (raw || output.json) return output.print(value, text);
  if (output.terminal) return output.print(value, endingWithLine(neutralise(text)));
  const harmless = withoutSteering(text);
  output.print(value, harmless);
  if (harmless !== text) output.note(steeringNote);
}

export const steeringNote = "  terminal control characters are shown as U+FFFD; --raw prints them";

/** The flag of every command that prints a text of others. */
export const rawFlag = {
  flags: "--raw",
  summary: "print the text unchanged, including terminal control characters",
};
