import { findOccurrences, type Heading, type MarkdownEnd, scanMarkdown } from "@merkle/wire/document";
import { endSection, hasText, openSection, type Section } from "./sections.js";

/**
 * Writes `summary` into the document as its Conclusion section. Also returns the section's exact text, which
 * the caller passes as `remembered` the next time.
 *
 * The text in `remembered` is replaced exactly, including headings within it (SES-14). If that text no longer
 * occurs in the document, the level-two section "Conclusion" is replaced (SES-12). If there is no such
 * section, one is added at the end.
 *
 * The rest of the document stays the same byte for byte, with two exceptions: blank lines at its end are
 * removed, and an open fence or HTML block is closed, so that it cannot swallow a heading below it.
 */
export function replaceConclusion(
  content: string,
  remembered: string | null,
  summary: string,
): { content: string; conclusion: string } {
  const lineBreak = /\r\n|\r|\n/.exec(content)?.[0] === "\r\n" ? "\r\n" : "\n";
  const { sections, unclosed } = findConclusions(content);
  const range = findConclusionRange(content, sections, remembered);
  const before = range ? content.slice(0, range.start) : closeBlocks(content, unclosed, lineBreak);
  const after = range ? content.slice(range.end) : "";
  const conclusion = formatConclusion(summary, after, lineBreak);
  return { content: before + conclusion + addSeparator(after, lineBreak), conclusion };
}

const HEADING = "## Conclusion";

interface TextRange {
  readonly start: number;
  readonly end: number;
}

function findConclusions(content: string): { sections: Section[]; unclosed: string | null } {
  const sections: Section[] = [];
  const { unclosed } = scanMarkdown(content, (heading) => {
    const current = sections.at(-1);
    if (current) endSection(current, heading);
    if (heading.level === 2 && isConclusion(content, heading)) sections.push(openSection(heading));
  });
  return { sections, unclosed };
}

function findConclusionRange(
  content: string,
  sections: readonly Section[],
  remembered: string | null,
): TextRange | null {
  // If there are several Conclusion sections, the last one is replaced: the outcome is at the end, and
  // earlier sections are part of the discussion.
  const last = sections.at(-1);
  if (!last) return null;
  const rememberedRange = remembered ? findLastOccurrence(content, remembered, sections) : null;
  if (rememberedRange) return rememberedRange;

  // Blank lines at the end of the section separate it from the next section, so they are kept.
  const section = content.slice(last.start, last.end);
  return { start: last.start, end: last.start + findLastLineEnd(section) };
}

/** Returns the last position where whole lines equal `wanted` and a section starts. */
function findLastOccurrence(content: string, text: string, sections: readonly Section[]): TextRange | null {
  const starts = new Set(sections.map(({ start }) => start));
  const offset = sections[0]?.start ?? 0;
  let range: TextRange | null = null;
  for (const index of findOccurrences(content.slice(offset), text)) {
    const start = offset + index;
    const end = start + text.length;
    if (starts.has(start) && /^[\r\n]?$/.test(content.charAt(end))) range = { start, end };
  }
  return range;
}

function isConclusion(content: string, heading: Heading): boolean {
  return hasText(content, heading, "conclusion");
}

/** Returns the text of the section with the document's line breaks, but without a line break at the end. */
function formatConclusion(summary: string, after: string, lineBreak: string): string {
  const { ownHeadingEnd, unclosed, endsInList } = readSummary(summary);
  const own = summary.slice(ownHeadingEnd);
  const body = withLineBreaks(own.slice(0, findLastLineEnd(own)), lineBreak);
  const text = body === "" ? HEADING : HEADING + lineBreak + lineBreak + body;
  if (unclosed !== null) return text + lineBreak + unclosed;
  // A list would absorb an indented heading below it. A comment in the markdown ends the list.
  const shouldEndList = endsInList && /^\s*[\r\n][ \t]+\S/.test(after);
  return shouldEndList ? `${text}${lineBreak}${lineBreak}<!-- -->` : text;
}

/**
 * Finds the blocks that the summary leaves open, and the start of its first line that is neither blank nor a
 * Conclusion heading of any level (SES-13).
 */
function readSummary(summary: string): MarkdownEnd & { ownHeadingEnd: number } {
  let ownHeadingEnd = skipBlankLines(summary, 0);
  const end = scanMarkdown(summary, (heading) => {
    if (heading.start !== ownHeadingEnd || !isConclusion(summary, heading)) return;
    ownHeadingEnd = skipBlankLines(summary, heading.end);
  });
  return { ...end, ownHeadingEnd };
}

function withLineBreaks(text: string, lineBreak: string): string {
  // Most text already has these line breaks, and checking for others is much cheaper than replacing them.
  return lineBreak === "\n" && !text.includes("\r") ? text : text.replace(/\r\n|\r|\n/g, lineBreak);
}

/**
 * Returns the start of the first line at or after `offset` that is not blank. `offset` must be the start of a
 * line.
 */
function skipBlankLines(text: string, offset: number): number {
  let lineStart = offset;
  for (let at = offset; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\n" || character === "\r") lineStart = at + 1;
    else if (character !== " " && character !== "\t") return lineStart;
  }
  return text.length;
}

/**
 * Prepares a document for another heading at its end: closes an open fence or HTML block, and leaves exactly
 * one blank line.
 */
function closeBlocks(content: string, unclosed: string | null, lineBreak: string): string {
  const lines = content.slice(0, findLastLineEnd(content));
  if (lines === "") return "";
  const closing = unclosed === null ? "" : lineBreak + unclosed;
  return lines + closing + lineBreak + lineBreak;
}

/** Returns the end of the last line that is not blank, without its line break. Returns 0 if all lines are blank. */
function findLastLineEnd(text: string): number {
  let lineEnd = text.length;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (character === "\n" || character === "\r") lineEnd = at;
    else if (character !== " " && character !== "\t") return lineEnd;
  }
  return 0;
}

/**
 * Returns the text that follows the section, preceded by a blank line. If nothing follows, returns a single
 * line break.
 */
function addSeparator(after: string, lineBreak: string): string {
  const [gap = ""] = /^[ \t\r\n]*/.exec(after) ?? [];
  if (gap.length === after.length) return lineBreak;
  const lineBreaks = gap.match(/\r\n|\r|\n/g)?.length ?? 0;
  return lineBreak.repeat(Math.max(0, 2 - lineBreaks)) + after;
}
