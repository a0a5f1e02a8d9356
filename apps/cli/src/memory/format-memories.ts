import type { Memory } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { oneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { toMoment } from "../text/time.js";

/** One line for each memory: its id, what it says, who said so where and when, its tags. */
export function formatMemories(
  memories: readonly (Memory & { readonly marked?: string })[],
  output: Output,
): string {
  const rows = memories.map((memory) => [
    { text: memory.id, paint: output.bold },
    { text: oneLine(memory.marked ?? memory.content) },
    { text: sourceText(memory), paint: output.dim },
    { text: memory.tags.map(oneLine).join(", ") },
    { text: forgottenText(memory), paint: output.dim },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more });
}

function sourceText({ rememberedBy, session, rememberedAt }: Memory): string {
  const where = session === null ? "" : ` in ${session}`;
  return `${oneLine(rememberedBy)}${where}, ${toMoment(rememberedAt)}`;
}

function forgottenText({ forgotten }: Memory): string {
  return forgotten === null ? "" : `forgotten by ${oneLine(forgotten.by)}: ${oneLine(forgotten.reason)}`;
}
