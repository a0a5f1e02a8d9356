import type { OutputOf, ProgressEntry } from "@merkle/wire";
import type { Output } from "../../command/output.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";

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

export function formatAuthor({ agentId, loggedBy }: Pick<ProgressEntry, "agentId" | "loggedBy">): string {
  return agentId === null || agentId === loggedBy
    ? toOneLine(loggedBy)
    : `${toOneLine(agentId)} (${toOneLine(loggedBy)})`;
}
