import type { OutputOf, ProgressEntry } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

/** Returns one line per entry: time, title, author, tags and id. */
export function formatEntries(entries: readonly ProgressEntry[], output: Output): string {
  const rows = entries.map((entry) => [
    { text: toMoment(entry.createdAt), paint: output.dim },
    { text: toOneLine(entry.title) },
    { text: formatAuthor(entry), paint: output.dim },
    { text: entry.tags.map(toOneLine).join(", ") },
    { text: entry.id, paint: output.bold },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: [[2, 16], 1], more: output.signs.more });
}

/**
 * Formats an entry in full: title, source, summary and text. Leaves out a summary that merely repeats the
 * beginning of the text.
 */
export function formatEntry(entry: OutputOf<"get_context">, output: Output): string {
  const { title, summary, content = "", createdAt, tags } = entry;
  const facts = [
    formatAuthor(entry),
    toMoment(createdAt),
    ...(tags.length > 0 ? [tags.map(toOneLine).join(", ")] : []),
  ];
  return [
    output.bold(toOneLine(title)),
    output.dim(facts.join(", ")),
    ...(content.startsWith(summary) ? [] : ["", indentText(summary)]),
    "",
    indentText(content),
  ].join("\n");
}

function formatAuthor({ agentId, loggedBy }: Pick<ProgressEntry, "agentId" | "loggedBy">): string {
  return agentId === null || agentId === loggedBy
    ? toOneLine(loggedBy)
    : `${toOneLine(agentId)} (${toOneLine(loggedBy)})`;
}
