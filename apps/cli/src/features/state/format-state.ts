import type { StateEntry } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { cutText, toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toAge, toMoment } from "../../text/time.js";

/** Returns an entry's value as one line of JSON, or `none` if it has no value. */
export function formatValue({
  value,
  deleted,
  redacted,
}: Pick<StateEntry, "value" | "deleted" | "redacted">): string {
  if (redacted) return "removed";
  return deleted ? "none" : toOneLine(JSON.stringify(value));
}

const valueCharsMax = 200;

/** Returns an entry's value, shortened for use within a line. */
export function formatShortValue(entry: Pick<StateEntry, "value" | "deleted" | "redacted">): string {
  return cutText(formatValue(entry), valueCharsMax);
}

/** Returns one line per key: key, value, version, author and time. */
export function formatEntries(entries: readonly StateEntry[], output: Output): string {
  const rows = entries.map((entry) => [
    { text: toOneLine(entry.key), paint: output.bold },
    { text: formatShortValue(entry) },
    { text: `v${entry.version}` },
    { text: `${toOneLine(entry.updatedBy)} ${toAge(entry.updatedAt)} ago`, paint: output.dim },
  ]);
  return formatTable(rows, {
    columns: output.columns,
    flexible: [[3, 16], [0, 16], 1],
    more: output.signs.more,
  });
}

/** Returns version, author and time of an entry, such as `v3, Atlas 14:05`. */
export function formatByline({ version, updatedBy, updatedAt }: StateEntry): string {
  return `v${version}, ${toOneLine(updatedBy)} ${toMoment(updatedAt)}`;
}
