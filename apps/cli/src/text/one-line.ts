import { neutralise } from "@merkle/wire/plain";

/** Text of others for one line of a terminal, which it cannot command or break. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, " ").trim();
}

/** The same for several lines, each of them indented, so that none can pass for a line of ours. */
export function indented(text: string): string {
  return neutralise(text).replace(/^(?=.)/gm, "  ");
}
