import { computeLineChanges, type LineChange, type SearchBounds } from "./line-changes.js";
import { splitLines } from "./lines.js";

/**
 * Lines without a conflict. They are unchanged, or only one side changed them, or both sides changed them in
 * the same way.
 */
export interface SettledBlock {
  readonly kind: "settled";
  readonly by: "nobody" | "mine" | "theirs" | "both";
  /** The block's text before either side changed it. */
  readonly base: string;
  readonly text: string;
}

/** Lines that both sides changed differently. */
export interface ConflictBlock {
  readonly kind: "conflict";
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

export type MergeBlock = SettledBlock | ConflictBlock;

export interface MergedTexts {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/**
 * Merges two texts that were made from the same base, line by line. A change by only one side is applied. If
 * both sides changed the same or adjacent lines, that is a conflict, because no one has seen the combination
 * yet. No change by either side is dropped.
 */
export function mergeTexts({ base, mine, theirs }: MergedTexts, bounds?: SearchBounds): MergeBlock[] {
  const lines = splitLines(base);
  const blocks: MergeBlock[] = [];
  let done = 0;
  const settle = (text: string) => {
    if (text !== "") blocks.push({ kind: "settled", by: "nobody", base: text, text });
  };
  for (const region of findRegions(
    computeLineChanges(base, mine, bounds),
    computeLineChanges(base, theirs, bounds),
  )) {
    settle(lines.slice(done, region.start).join(""));
    blocks.push(
      toBlock({
        base: lines.slice(region.start, region.end).join(""),
        mine: applyChanges(lines, region, region.mine),
        theirs: applyChanges(lines, region, region.theirs),
      }),
    );
    done = region.end;
  }
  settle(lines.slice(done).join(""));
  return blocks;
}

/**
 * Lines of the base that are changed, with the changes of both sides that touch these lines or each other.
 * `end` is exclusive.
 */
interface Region {
  readonly start: number;
  end: number;
  readonly mine: LineChange[];
  readonly theirs: LineChange[];
}

function findRegions(mine: readonly LineChange[], theirs: readonly LineChange[]): Region[] {
  const all = [
    ...mine.map((change) => ({ change, side: "mine" as const })),
    ...theirs.map((change) => ({ change, side: "theirs" as const })),
  ].sort((a, b) => a.change.above - b.change.above);
  const regions: Region[] = [];
  for (const { change, side } of all) {
    const end = change.above + change.oldLines.length;
    let region = regions.at(-1);
    // Changes that touch each other belong to the same region. If both sides insert lines at the same
    // position, a person must decide on the order.
    if (!region || change.above > region.end) {
      region = { start: change.above, end, mine: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, end);
    region[side].push(change);
  }
  return regions;
}

/** Returns the text of a region after the given changes. */
function applyChanges(
  lines: readonly string[],
  { start, end }: Region,
  changes: readonly LineChange[],
): string {
  const parts: string[] = [];
  let done = start;
  for (const { above, oldLines, newLines } of changes) {
    parts.push(...lines.slice(done, above), ...newLines);
    done = above + oldLines.length;
  }
  return [...parts, ...lines.slice(done, end)].join("");
}

function toBlock({ base, mine, theirs }: MergedTexts): MergeBlock {
  if (mine === theirs) return { kind: "settled", by: "both", base, text: mine };
  if (mine === base) return { kind: "settled", by: "theirs", base, text: theirs };
  if (theirs === base) return { kind: "settled", by: "mine", base, text: mine };
  return { kind: "conflict", base, mine, theirs };
}
