import type { Hunk } from "@merkle/wire";

/** Counts the lines that hunks add and remove. */
export function countLines(hunks: readonly Hunk[]): { added: number; removed: number } {
  return {
    added: hunks.reduce((sum, { new_lines }) => sum + new_lines.length, 0),
    removed: hunks.reduce((sum, { old_lines }) => sum + old_lines.length, 0),
  };
}
