import type { Flags } from "../core/flags.js";
import { displayWidth } from "../text/display-width.js";
import { getColumns, type Io } from "./io.js";

/** Returns whether the text is longer than the terminal, and the person at the terminal wants a pager. */
export function needsPager(
  text: string,
  { flags, stdout, env }: Pick<Io, "stdout" | "env"> & { readonly flags: Flags },
): boolean {
  const { isTTY, rows = 0 } = stdout;
  if (isTTY !== true || rows === 0 || flags["pager"] === false) return false;
  if (env["TERM"] === "dumb" || ["", "cat"].includes(env["PAGER"] ?? "less")) return false;
  const columns = getColumns(stdout);
  const lines = text.trimEnd().split("\n");
  const needed = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
  // The last line of the terminal is for the shell's prompt.
  return needed >= rows;
}
