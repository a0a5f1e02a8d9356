import { type LineChange, lineChanges, linesOf } from "./line-changes.js";
import { findHeadings } from "./unified-diff.js";

export interface MergeInput {
  readonly base: string;
  /** What stands where both have changed the same place. */
  readonly current: string;
  readonly proposed: string;
}

export interface Merged {
  readonly content: string;
  /** Where both had changed the same place, differently: the headings of those places, one for each. */
  readonly conflicts: readonly string[];
}

/**
 * Merges two texts that were made from the same one. Changes that touch are one place: of two lines beside each other, each
 * changed by another, nobody has seen both.
 */
export function mergeTexts({ base, current, proposed }: MergeInput): Merged {
  const lines = linesOf(base);
  const headings = findHeadings(base);
  const parts: string[] = [];
  const conflicts: string[] = [];
  let done = 0;
  for (const place of findPlaces(lineChanges(base, current), lineChanges(base, proposed))) {
    const kept = applied(lines, place, place.current);
    const wanted = applied(lines, place, place.proposed);
    const differ = place.current.length > 0 && place.proposed.length > 0 && kept !== wanted;
    if (differ) conflicts.push(headings.findLast(({ line }) => line <= place.start + 1)?.text ?? "");
    parts.push(...lines.slice(done, place.start), place.current.length > 0 ? kept : wanted);
    done = place.end;
  }
  return { content: [...parts, ...lines.slice(done)].join(""), conflicts };
}

/** A piece of the base, from one line to before another, and who changed what in it. */
interface Place {
  readonly start: number;
  end: number;
  readonly current: LineChange[];
  readonly proposed: LineChange[];
}

function findPlaces(current: readonly LineChange[], proposed: readonly LineChange[]): Place[] {
  const all = [
    ...current.map((change) => ({ change, by: "current" as const })),
    ...proposed.map((change) => ({ change, by: "proposed" as const })),
  ].sort((a, b) => a.change.above - b.change.above);
  const places: Place[] = [];
  for (const { change, by } of all) {
    const end = change.above + change.oldLines.length;
    let place = places.at(-1);
    if (!place || change.above > place.end) {
      place = { start: change.above, end, current: [], proposed: [] };
      places.push(place);
    }
    place.end = Math.max(place.end, end);
    place[by].push(change);
  }
  return places;
}

/** What a place reads like with these changes. */
function applied(lines: readonly string[], { start, end }: Place, changes: readonly LineChange[]): string {
  const parts: string[] = [];
  let done = start;
  for (const { above, oldLines, newLines } of changes) {
    parts.push(...lines.slice(done, above), ...newLines);
    done = above + oldLines.length;
  }
  return [...parts, ...lines.slice(done, end)].join("");
}
