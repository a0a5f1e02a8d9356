import { diffArrays } from "diff";
import { countCommonEnds, splitLines } from "./lines.js";

/** A difference between two texts, as lines that include their line breaks. */
export interface LineChange {
  /** Number of lines above the change in the old text. */
  readonly above: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/**
 * Limits on the search for the smallest difference. Its cost grows with the square of the number of changed
 * lines.
 */
export interface SearchBounds {
  /** Maximum number of added and removed lines. Beyond this, the search is abandoned. */
  readonly editLengthMax: number;
  readonly searchMsMax: number;
}

/** Default limits, for a thread that has no other work. */
export const searchBounds: SearchBounds = { editLengthMax: 2_000, searchMsMax: 2_000 };

/**
 * Returns the changes that turn one text into another, from top to bottom. The result is always correct and
 * takes bounded time. If the texts differ too much, a single change replaces everything from the first
 * difference to the last.
 */
export function computeLineChanges(
  from: string,
  to: string,
  bounds: SearchBounds = searchBounds,
): LineChange[] {
  const oldLines = splitLines(from);
  const newLines = splitLines(to);
  return findShortestChanges(oldLines, newLines, bounds) ?? toReplacement(oldLines, newLines);
}

function findShortestChanges(
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

function toReplacement(from: readonly string[], to: readonly string[]): LineChange[] {
  const { above, below } = countCommonEnds(from, to);
  const oldLines = from.slice(above, from.length - below);
  const newLines = to.slice(above, to.length - below);
  return oldLines.length + newLines.length === 0 ? [] : [{ above, oldLines, newLines }];
}
