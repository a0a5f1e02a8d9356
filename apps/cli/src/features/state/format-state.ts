import type { StateEntry } from "@merkle/wire";
import type { Column } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { cutText, toOneLine } from "../../text/one-line.js";
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

/** Returns the columns: key, value, version, author and time. */
export function listEntryColumns({ bold, dim }: Output): Column<StateEntry>[] {
  return [
    { head: "Key", cell: ({ key }) => ({ text: toOneLine(key), paint: bold }) },
    { head: "Value", widthMin: 12, cell: formatShortValue },
    { head: "Version", cell: ({ version }) => `v${version}` },
    {
      head: "Set by",
      widthMin: 16,
      isOptional: true,
      cell: ({ updatedBy, updatedAt }) => ({
        text: `${toOneLine(updatedBy)} ${toAge(updatedAt)} ago`,
        paint: dim,
      }),
    },
  ];
}

/** Returns version, author and time of an entry, such as `v3, Atlas 14:05`. */
export function formatByline({ version, updatedBy, updatedAt }: StateEntry): string {
  return `v${version}, ${toOneLine(updatedBy)} ${toMoment(updatedAt)}`;
}
