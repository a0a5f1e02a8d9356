import { diffArrays } from "diff";
import { commonEnds, linesOf } from "./lines.js";

/** A place where one text differs from another, by lines with their breaks. */
export interface LineChange {
  /** How many lines of the old text stand before it. */
  readonly above: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** How far the shortest difference is searched for; the cost of the search grows with the square of the changed lines. */
export interface SearchBounds {
  /** More added and removed lines than this are not worth it. */
  readonly editLengthMax: number;
  readonly searchMsMax: number;
}

/** For a thread that has nothing else to do. */
export const searchBounds: SearchBounds = { editLengthMax: 2_000, searchMsMax: 2_000 };

/**
 * Returns the changes that turn one text into another, from top to bottom. They are always correct, and always found in
 * bounded time: where too much changed, one change replaces everything between the first and the last difference.
 */
export function lineChanges(from: string, to: string, bounds: SearchBounds = searchBounds): LineChange[] {
  const oldLines = linesOf(from);
  const newLines = linesOf(to);
  return shortest(oldLines, newLines, bounds) ?? replacement(oldLines, newLines);
}

function shortest(
  from: string[],
  to: string[],
  { editLengthMax, searchMsMax }: SearchBounds,
): LineChange[] | undefined {
  const parts = diffArrays(from, to, { maxEditLength: editLengthMax, timeout: searchMsMax });
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
