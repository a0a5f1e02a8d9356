import type { WorkerTask } from "../core/workers/task.js";
import { replaceConclusion } from "./conclusion-section.js";
import { type MergeInput, type MergeResult, mergeOntoCurrent } from "./merge-texts.js";
import { findSection, listHeadings } from "./sections.js";
import { createUnifiedDiff, type UnifiedDiffInput } from "./unified-diff.js";

const smallCharsMax = 16 * 1024;

/**
 * Diffs of up to this many lines run on the calling thread. A diff's cost grows with the square of the number
 * of lines.
 */
const smallLinesMax = 300;

export const unifiedDiffTask: WorkerTask<UnifiedDiffInput, string> = {
  name: "unified_diff",
  run: createUnifiedDiff,
  isSmall: ({ from, to }) => isSmallDiff(from, to),
};

export const mergeTextsTask: WorkerTask<MergeInput, MergeResult> = {
  name: "merge_texts",
  run: mergeOntoCurrent,
  isSmall: ({ base, current, proposed }) => isSmallDiff(base, current) && isSmallDiff(base, proposed),
};

export const replaceConclusionTask: WorkerTask<
  { content: string; remembered: string | null; summary: string },
  { content: string; conclusion: string }
> = {
  name: "replace_conclusion",
  run: ({ content, remembered, summary }) => replaceConclusion(content, remembered, summary),
  isSmall: ({ content, remembered, summary }) =>
    content.length + (remembered?.length ?? 0) + summary.length < smallCharsMax,
};

/**
 * Finds a section in a document. If there is no such section, the result contains the document's
 * headings instead.
 */
export const findSectionTask: WorkerTask<
  { content: string; heading: string },
  { text: string } | { headings: readonly string[] }
> = {
  name: "find_section",
  run: ({ content, heading }) => findSection(content, heading) ?? { headings: listHeadings(content) },
  isSmall: ({ content }) => content.length < smallCharsMax,
};

export function isSmallDiff(from: string, to: string): boolean {
  return from.length + to.length < smallCharsMax && countLines(from) + countLines(to) <= smallLinesMax;
}

function countLines(text: string): number {
  return text.split("\n").length;
}
