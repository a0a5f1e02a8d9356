import { mergeTexts } from "@merkle/wire/document";
import { splitLines } from "@merkle/wire/text";
import { findHeadings } from "./unified-diff.js";

export interface MergeInput {
  readonly base: string;
  /** The text that wins where both texts change the same lines. */
  readonly current: string;
  readonly proposed: string;
}

export interface MergeResult {
  readonly content: string;
  /** The headings of the sections in which the two texts made different changes. */
  readonly conflicts: readonly string[];
}

/** Merges two texts that share a base, without asking a person. */
export function mergeOntoCurrent({ base, current, proposed }: MergeInput): MergeResult {
  const headings = findHeadings(base);
  const conflicts: string[] = [];
  let line = 1;
  const parts = mergeTexts({ base, mine: current, theirs: proposed }).map((block) => {
    const first = line;
    line += splitLines(block.base).length;
    if (block.kind === "settled") return block.text;
    conflicts.push(headings.findLast((heading) => heading.line <= first)?.text ?? "");
    return block.mine;
  });
  return { content: parts.join(""), conflicts };
}
