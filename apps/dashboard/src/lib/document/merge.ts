import { diffArrays } from "diff";

/** Lines that nobody disputes: unchanged, or changed by one side alone, or by both alike. */
export interface SettledBlock {
  readonly kind: "settled";
  readonly by: "nobody" | "mine" | "theirs" | "both";
  /** What stood here before. */
  readonly base: string;
  readonly text: string;
}

/** A place that both sides changed, each in its own way. */
export interface ConflictBlock {
  readonly kind: "conflict";
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

export type MergeBlock = SettledBlock | ConflictBlock;

export type Choice = "mine" | "theirs" | "mine-theirs" | "theirs-mine";

/**
 * Brings two texts together that were made from the same base, line by line. Whatever only one side changed is taken; where
 * both changed the same or neighbouring lines it is a conflict, for a person to decide. Nothing of either side is dropped.
 */
export function mergeTexts({
  base,
  mine,
  theirs,
}: {
  base: string;
  mine: string;
  theirs: string;
}): MergeBlock[] {
  const baseLines = toLines(base);
  const sides = {
    mine: { lines: toLines(mine), changes: findChanges(baseLines, toLines(mine)) },
    theirs: { lines: toLines(theirs), changes: findChanges(baseLines, toLines(theirs)) },
  };
  const blocks: MergeBlock[] = [];
  let at = 0;
  for (const region of toRegions(sides.mine.changes, sides.theirs.changes)) {
    pushSettled(blocks, "nobody", baseLines.slice(at, region.start).join(""));
    const here = baseLines.slice(region.start, region.end).join("");
    const texts = { mine: sideText(region, "mine", here), theirs: sideText(region, "theirs", here) };
    blocks.push(toBlock(here, texts));
    at = region.end;
  }
  pushSettled(blocks, "nobody", baseLines.slice(at).join(""));
  return blocks;

  function sideText(region: Region, side: "mine" | "theirs", here: string): string {
    const { lines, changes } = sides[side];
    const touching = changes.filter((change) => region[side].has(change));
    const first = touching[0];
    const last = touching.at(-1);
    if (!first || !last) return here;
    // Between its own changes a side reads like the base, so that the region's ends move along with them.
    return lines
      .slice(first.start - (first.baseStart - region.start), last.end + (region.end - last.baseEnd))
      .join("");
  }
}

/** The merged text, once every conflict has its choice; null before. `choices` go by the block's place in the list. */
export function resolveMerge(
  blocks: readonly MergeBlock[],
  choices: ReadonlyMap<number, Choice>,
): string | null {
  const parts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "settled") {
      parts.push(block.text);
      continue;
    }
    const choice = choices.get(index);
    if (choice === undefined) return null;
    parts.push(takeChoice(block, choice));
  }
  // Only a document's last line may lack its line break; where another part follows such a line, it gets one.
  return parts.filter((part) => part !== "").reduce((text, part) => join(text, part), "");
}

function takeChoice({ mine, theirs }: ConflictBlock, choice: Choice): string {
  switch (choice) {
    case "mine":
      return mine;
    case "theirs":
      return theirs;
    case "mine-theirs":
      return join(mine, theirs);
    case "theirs-mine":
      return join(theirs, mine);
  }
}

function join(first: string, second: string): string {
  const broken = first === "" || second === "" || first.endsWith("\n");
  return broken ? first + second : `${first}\n${second}`;
}

/** Lines with their line breaks, so that a missing one at the end is a difference like any other. */
function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A run of base lines that one side replaced by a run of its own. */
interface Change {
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
}

/** More changed lines than this are not worth the search for the shortest difference, whose cost grows with their square. */
const editLengthMax = 1_000;
const searchMsMax = 300;

function findChanges(base: readonly string[], side: readonly string[]): Change[] {
  const parts = diffArrays([...base], [...side], { maxEditLength: editLengthMax, timeout: searchMsMax });
  if (parts === undefined) return [outerChange(base, side)];
  const changes: Change[] = [];
  let baseAt = 0;
  let sideAt = 0;
  let open: Change | null = null;
  for (const { added, removed, count } of parts) {
    if (!added && !removed) {
      if (open) changes.push(open);
      open = null;
      baseAt += count;
      sideAt += count;
      continue;
    }
    open ??= { baseStart: baseAt, baseEnd: baseAt, start: sideAt, end: sideAt };
    if (removed) baseAt += count;
    else sideAt += count;
    open = { ...open, baseEnd: baseAt, end: sideAt };
  }
  return open ? [...changes, open] : changes;
}

/** Everything between the first and the last difference, as one change. */
function outerChange(base: readonly string[], side: readonly string[]): Change {
  const shorter = Math.min(base.length, side.length);
  let start = 0;
  while (start < shorter && base[start] === side[start]) start++;
  let tail = 0;
  while (tail < shorter - start && base.at(-1 - tail) === side.at(-1 - tail)) tail++;
  return { baseStart: start, baseEnd: base.length - tail, start, end: side.length - tail };
}

/** A run of base lines with the changes of both sides that touch it, or each other. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly mine: ReadonlySet<Change>;
  readonly theirs: ReadonlySet<Change>;
}

function toRegions(mine: readonly Change[], theirs: readonly Change[]): Region[] {
  const all = [
    ...mine.map((change) => ({ change, side: "mine" as const })),
    ...theirs.map((change) => ({ change, side: "theirs" as const })),
  ].sort((a, b) => a.change.baseStart - b.change.baseStart || a.change.baseEnd - b.change.baseEnd);
  const regions: { start: number; end: number; mine: Set<Change>; theirs: Set<Change> }[] = [];
  for (const { change, side } of all) {
    const last = regions.at(-1);
    // Changes that touch are one region as well: which of two insertions at one place comes first is for a person to say.
    if (last && change.baseStart <= last.end) {
      last[side].add(change);
      last.end = Math.max(last.end, change.baseEnd);
    } else {
      const region = {
        start: change.baseStart,
        end: change.baseEnd,
        mine: new Set<Change>(),
        theirs: new Set<Change>(),
      };
      region[side].add(change);
      regions.push(region);
    }
  }
  return regions;
}

function toBlock(base: string, { mine, theirs }: { mine: string; theirs: string }): MergeBlock {
  if (mine === theirs) return { kind: "settled", by: "both", base, text: mine };
  if (mine === base) return { kind: "settled", by: "theirs", base, text: theirs };
  if (theirs === base) return { kind: "settled", by: "mine", base, text: mine };
  return { kind: "conflict", base, mine, theirs };
}

function pushSettled(blocks: MergeBlock[], by: SettledBlock["by"], text: string): void {
  if (text !== "") blocks.push({ kind: "settled", by, base: text, text });
}
