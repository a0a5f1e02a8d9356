import { diffArrays } from "diff";

/** A place where one text differs from another, by lines with their breaks. */
export interface LineChange {
  /** How many lines of the old text stand before it. */
  readonly above: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** More added and removed lines than this are not worth the search for the shortest diff, whose cost grows with their square. */
export const EDIT_LENGTH_MAX = 2000;

export const SEARCH_TIMEOUT_MS = 2000;

/**
 * What changes one text into another, from top to bottom. Always correct, and always made in bounded time: where too much
 * changed, one change replaces everything between the first and the last difference.
 */
export function lineChanges(from: string, to: string): LineChange[] {
  const oldLines = linesOf(from);
  const newLines = linesOf(to);
  return shortest(oldLines, newLines) ?? replacement(oldLines, newLines);
}

/** The lines of a text, each with its line break. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shortest(from: string[], to: string[]): LineChange[] | undefined {
  const parts = diffArrays(from, to, { maxEditLength: EDIT_LENGTH_MAX, timeout: SEARCH_TIMEOUT_MS });
  if (!parts) return undefined;
  const changes: LineChange[] = [];
  let above = 0;
  let oldLines: string[] = [];
  let newLines: string[] = [];
  const finish = () => {
    if (oldLines.length + newLines.length > 0) changes.push({ above, oldLines, newLines });
    above += oldLines.length;
    [oldLines, newLines] = [[], []];
  };
  for (const { value, added, removed } of parts) {
    if (added) newLines = newLines.concat(value);
    else if (removed) oldLines = oldLines.concat(value);
    else {
      finish();
      above += value.length;
    }
  }
  finish();
  return changes;
}

function replacement(from: readonly string[], to: readonly string[]): LineChange[] {
  const { above, below } = commonEnds(from, to);
  const oldLines = from.slice(above, from.length - below);
  const newLines = to.slice(above, to.length - below);
  return oldLines.length + newLines.length === 0 ? [] : [{ above, oldLines, newLines }];
}

/** How many lines at the top, and how many of the others at the bottom, two texts share. */
export function commonEnds(from: readonly string[], to: readonly string[]): { above: number; below: number } {
  const shorter = Math.min(from.length, to.length);
  let above = 0;
  while (above < shorter && from[above] === to[above]) above++;
  let below = 0;
  while (below < shorter - above && from.at(-1 - below) === to.at(-1 - below)) below++;
  return { above, below };
}
