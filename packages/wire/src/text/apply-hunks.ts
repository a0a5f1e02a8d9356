import { splitLines } from "../text/lines.js";

/** A change that replaces some lines of text. `old_start` is a line number, counted from 1. */
export interface LineHunk {
  readonly old_start: number;
  readonly old_lines: readonly string[];
  readonly new_lines: readonly string[];
}

/**
 * Applies a proposal's hunks to a text, in any order. Returns null if the hunks were made for a different
 * text.
 */
export function applyHunks(text: string, hunks: readonly LineHunk[]): string | null {
  const lines = splitLines(text);
  const parts: string[] = [];
  let done = 0;
  for (const { old_start, old_lines, new_lines } of [...hunks].sort((a, b) => a.old_start - b.old_start)) {
    const start = old_start - 1;
    if (start < done || start > lines.length) return null;
    if (old_lines.some((line, at) => lines[start + at] !== line)) return null;
    parts.push(...lines.slice(done, start), ...new_lines);
    done = start + old_lines.length;
  }
  return [...parts, ...lines.slice(done)].join("");
}
