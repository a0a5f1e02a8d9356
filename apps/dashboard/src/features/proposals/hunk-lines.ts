import type { Hunk } from "@merkle/wire";
import { splitLines } from "@merkle/wire/text";
import type { DiffLine } from "@/text/diff/unified-diff";

/** The position and text of a change. */
export type HunkChange = Pick<Hunk, "id" | "old_start" | "old_lines" | "new_lines">;

const contextLines = 3;

/**
 * Returns the lines of each hunk with unchanged context lines around them. The proposed text contains all context, so the old
 * text is not needed. No line appears twice.
 */
export function listHunkLines(
  proposed: string,
  hunks: readonly HunkChange[],
): ReadonlyMap<string, DiffLine[]> {
  const lines = splitLines(proposed);
  const linesByHunk = new Map<string, DiffLine[]>();
  let shift = 0;
  let shownUntil = 0;
  hunks.forEach((hunk, index) => {
    const { id, old_start, old_lines, new_lines } = hunk;
    const from = old_start - 1 + shift;
    const to = from + new_lines.length;
    const next = hunks[index + 1];
    const growth = new_lines.length - old_lines.length;
    const nextFrom = next ? next.old_start - 1 + shift + growth : lines.length;
    const first = Math.max(shownUntil, from - contextLines);
    const last = Math.min(nextFrom, to + contextLines);
    const toContextLines = (start: number, end: number, offset: number): DiffLine[] =>
      lines
        .slice(start, end)
        .map((text, at) => toLine("same", text, start + at + 1 - offset, start + at + 1));
    linesByHunk.set(id, [
      ...toContextLines(first, from, shift),
      ...old_lines.map((text, at) => toLine("removed", text, old_start + at, null)),
      ...new_lines.map((text, at) => toLine("added", text, null, from + at + 1)),
      ...toContextLines(to, last, shift + growth),
    ]);
    shift += growth;
    shownUntil = last;
  });
  return linesByHunk;
}

/** Returns the proposed text with only the chosen hunks applied. Other hunks keep the old text. */
export function buildText(
  proposed: string,
  hunks: readonly HunkChange[],
  chosen: ReadonlySet<string>,
): string {
  const lines = splitLines(proposed);
  const parts: string[] = [];
  let position = 0;
  let shift = 0;
  for (const { id, old_start, old_lines, new_lines } of hunks) {
    const from = old_start - 1 + shift;
    parts.push(...lines.slice(position, from), ...(chosen.has(id) ? new_lines : old_lines));
    position = from + new_lines.length;
    shift += new_lines.length - old_lines.length;
  }
  return [...parts, ...lines.slice(position)].join("");
}

function toLine(
  kind: DiffLine["kind"],
  rawLine: string,
  oldLine: number | null,
  newLine: number | null,
): DiffLine {
  const hasNoLineBreak = !rawLine.endsWith("\n");
  return { kind, text: hasNoLineBreak ? rawLine : rawLine.slice(0, -1), oldLine, newLine, hasNoLineBreak };
}
