import type { Redaction } from "@merkle/wire";
import { neutralise } from "@merkle/wire/plain";
import { oneLine } from "../text/one-line.js";
import { toMoment } from "../text/time.js";

/**
 * `removed by Ana 14:05: holds a key`, in the place of what was said.
 *
 * @param indent - what each later line of the reason begins with; in a table it is all one line
 */
export function removalText(redaction: Redaction | undefined, indent?: string): string {
  const { by = null, at = null, reason = null } = redaction ?? {};
  const who = by === null ? "" : ` by ${oneLine(by)}`;
  const when = at === null ? "" : ` ${toMoment(at)}`;
  if (reason === null) return `removed${who}${when}`;
  const why = indent === undefined ? oneLine(reason) : neutralise(reason).replaceAll("\n", `\n${indent}`);
  return `removed${who}${when}: ${why}`;
}
