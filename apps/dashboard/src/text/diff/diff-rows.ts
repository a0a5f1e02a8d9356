import { isHighSurrogate, isLowSurrogate } from "../surrogates";
import type { DiffLine } from "./unified-diff";

/** A row of the split view: the old and the new line. */
export interface SplitRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Pairs a hunk's lines into rows: each run of removed lines with the added lines that follow. */
export function toSplitRows(lines: readonly DiffLine[]): SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      rows.push({ left: removed[i] ?? null, right: added[i] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") {
      added.push(line);
    } else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}

/** The part of a line that differs from its counterpart, as offsets. */
export interface ChangedPart {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the parts that differ between a removed and an added line: everything between their common beginning and end. Returns
 * null if the lines have too little in common.
 */
export function findChangedParts(
  removed: string,
  added: string,
): { removed: ChangedPart; added: ChangedPart } | null {
  const shorter = Math.min(removed.length, added.length);
  let start = 0;
  while (start < shorter && removed[start] === added[start]) start++;
  // Keeps surrogate pairs together.
  if (start > 0 && isHighSurrogate(removed.charCodeAt(start - 1))) start--;
  let tail = 0;
  while (tail < shorter - start && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  if (tail > 0 && isLowSurrogate(removed.charCodeAt(removed.length - tail))) tail--;
  if ((start + tail) * 3 < Math.max(removed.length, added.length)) return null;
  return {
    removed: { start, end: removed.length - tail },
    added: { start, end: added.length - tail },
  };
}

/**
 * Returns the counterpart of each changed line. Within a run, the first removed line belongs to the first added line, and so on.
 */
export function pairLines(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, DiffLine> {
  const pairs = new Map<DiffLine, DiffLine>();
  for (const { left, right } of toSplitRows(lines)) {
    if (left?.kind !== "removed" || right?.kind !== "added") continue;
    pairs.set(left, right);
    pairs.set(right, left);
  }
  return pairs;
}
