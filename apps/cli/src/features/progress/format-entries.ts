import type { OutputOf, ProgressEntry } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { indented, oneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

/** Returns one line per entry: time, title, author, tags and id. */
export function formatEntries(entries: readonly ProgressEntry[], output: Output): string {
  const rows = entries.map((entry) => [
    { text: toMoment(entry.createdAt), paint: output.dim },
    { text: oneLine(entry.title) },
    { text: authorText(entry), paint: output.dim },
    { text: entry.tags.map(oneLine).join(", ") },
    { text: entry.id, paint: output.bold },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: [[2, 16], 1], more: output.signs.more });
}

/**
 * Formats an entry in full: title, source, summary and text. Leaves out a summary that merely repeats the
 * beginning of the text.
 */
export function formatWhole(entry: OutputOf<"get_context">, output: Output): string {
  const { title, summary, content = "", createdAt, tags } = entry;
  const facts = [
    authorText(entry),
    toMoment(createdAt),
    ...(tags.length > 0 ? [tags.map(oneLine).join(", ")] : []),
  ];
  return [
    output.bold(oneLine(title)),
    output.dim(facts.join(", ")),
    ...(content.startsWith(summary) ? [] : ["", indented(summary)]),
    "",
    indented(content),
  ].join("\n");
}

function authorText({ agentId, loggedBy }: Pick<ProgressEntry, "agentId" | "loggedBy">): string {
  return agentId === null || agentId === loggedBy
    ? oneLine(loggedBy)
    : `${oneLine(agentId)} (${oneLine(loggedBy)})`;
}
