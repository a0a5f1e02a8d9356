import { extractHeadingText, scanMarkdown, searchBounds } from "@merkle/wire/document";
import { countCommonEnds, splitLines } from "@merkle/wire/text";
import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from "diff";

export interface UnifiedDiffInput {
  readonly from: string;
  readonly to: string;
  readonly fromLabel: string;
  readonly toLabel: string;
  /** Number of unchanged lines around each change. */
  readonly contextLines: number;
}

/**
 * Returns the unified diff of two texts, or "" if they are equal. The diff is always correct and takes
 * limited time: if too much has changed, one hunk replaces everything between the first and the last
 * difference.
 */
export function createUnifiedDiff(input: UnifiedDiffInput): string {
  if (input.from === input.to) return "";
  return withHeadings(findShortestDiff(input) ?? createReplacementDiff(input), input.from);
}

/**
 * Adds section headings to the header of each hunk: the heading of the section that contains the hunk's first
 * change.
 */
function withHeadings(patch: string, from: string): string {
  const headings = findHeadings(from);
  let next = 0;
  let heading = "";
  const hunk = /(?<=\n)@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(?=\n((?: [^\n]*\n)*)(.?))/g;
  return patch.replace(hunk, (header, start: string, above: string, sign: string) => {
    const shown = above.split("\n").length - 1;
    // An added line comes after the last context line above it. A removed line has its own line number.
    const changed = Number(start) + shown - (sign === "+" ? 1 : 0);
    for (; (headings[next]?.line ?? Infinity) <= changed; next += 1) heading = headings[next]?.text ?? "";
    return heading === "" ? header : `${header} ${heading}`;
  });
}

/**
 * Returns the headings in `text`, shortened to fit a hunk header, each with the number of its first line,
 * counted from 1.
 */
export function findHeadings(text: string): { line: number; text: string }[] {
  const headings: { line: number; text: string }[] = [];
  let line = 1;
  let counted = 0;
  scanMarkdown(text, (heading) => {
    for (
      let end = text.indexOf("\n", counted);
      end !== -1 && end < heading.start;
      end = text.indexOf("\n", counted)
    ) {
      line += 1;
      counted = end + 1;
    }
    const prefix = "#".repeat(heading.level);
    headings.push({ line, text: `${prefix} ${cutHeading(extractHeadingText(text, heading))}`.trim() });
  });
  return headings;
}

const HEADING_CHARS_MAX = 80;

/** Returns the beginning of a string as one line, without splitting a surrogate pair. */
function cutHeading(text: string): string {
  const chars = [...text.slice(0, 2 * HEADING_CHARS_MAX).replace(/\s+/g, " ")];
  return chars.slice(0, HEADING_CHARS_MAX).join("");
}

function findShortestDiff({
  from,
  to,
  fromLabel,
  toLabel,
  contextLines,
}: UnifiedDiffInput): string | undefined {
  return createTwoFilesPatch(fromLabel, toLabel, from, to, undefined, undefined, {
    context: contextLines,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: searchBounds.editLengthMax,
    timeout: searchBounds.searchMsMax,
  });
}

function createReplacementDiff({ from, to, fromLabel, toLabel, contextLines }: UnifiedDiffInput): string {
  const removed = splitLines(from);
  const added = splitLines(to);
  const same = countCommonEnds(removed, added);
  const above = Math.min(same.above, contextLines);
  const below = Math.min(same.below, contextLines);
  const start = same.above - above;
  const hunk = {
    oldStart: start + 1,
    oldLines: removed.length - same.below + below - start,
    newStart: start + 1,
    newLines: added.length - same.below + below - start,
    lines: [
      ...formatHunkLines(" ", removed.slice(start, same.above)),
      ...formatHunkLines("-", removed.slice(same.above, removed.length - same.below)),
      ...formatHunkLines("+", added.slice(same.above, added.length - same.below)),
      ...formatHunkLines(
        " ",
        removed.slice(removed.length - same.below, removed.length - same.below + below),
      ),
    ],
  };
  const patch = {
    oldFileName: fromLabel,
    newFileName: toLabel,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

function formatHunkLines(sign: " " | "-" | "+", lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
  );
}
