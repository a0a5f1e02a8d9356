import { extractHeadingText, type Heading, scanMarkdown } from "@merkle/wire/document";
import { limits } from "@merkle/wire/limits";

/**
 * Maximum length of a heading. Headings are one or two lines long, so a paragraph of thousands of characters
 * above a `---` does not count.
 */
const HEADING_CHARS_MAX = 2000;

/** Maximum number of headings in an error message. */
const LISTED_MAX = 50;

/**
 * Returns the section below a heading, including the heading, byte for byte (DOC-7). Returns null if the
 * heading does not exist. `heading` is the heading's plain text, regardless of case. If it starts with number
 * signs, a heading of that level is preferred. If several headings match, the first is used.
 */
export function findSection(content: string, heading: string): { text: string } | null {
  const { level, key } = parseHeading(heading);
  if (key === "") return null;
  let first: Section | undefined;
  let preferred: Section | undefined;
  scanMarkdown(content, (next) => {
    if (first) endSection(first, next);
    if (preferred) endSection(preferred, next);
    if (preferred || !hasText(content, next, key)) return;
    first ??= openSection(next);
    if (next.level === level) preferred = openSection(next);
  });
  const section = preferred ?? first;
  return section ? { text: content.slice(section.start, section.end) } : null;
}

/**
 * Returns the document's first 50 headings in order, each on one line with the number signs of its level, in
 * the form that `findSection` accepts.
 */
export function listHeadings(content: string): string[] {
  const headings: string[] = [];
  scanMarkdown(content, (heading) => {
    if (headings.length === LISTED_MAX) return;
    const text = extractHeadingText(content, heading);
    if (text !== "") headings.push(`${"#".repeat(heading.level)} ${toOneLine(text)}`);
  });
  return headings;
}

/**
 * A heading and the text below it. `end` is undefined until the next heading at the same or a higher level is
 * found.
 */
export interface Section {
  readonly level: number;
  readonly start: number;
  end: number | undefined;
}

export function openSection({ level, start }: Heading): Section {
  return { level, start, end: undefined };
}

/** Ends the section at the next heading, if that heading is at the same or a higher level. */
export function endSection(section: Section, next: Heading): void {
  if (next.level <= section.level) section.end ??= next.start;
}

/** Returns whether a heading matches a key created by `toHeadingKey`. */
export function hasText(content: string, heading: Heading, key: string): boolean {
  const length = heading.textEnd - heading.textStart;
  // A key is never longer than its heading, and headings above the maximum length do not count. Most headings
  // can therefore be skipped without computing their key.
  if (length < key.length || length > HEADING_CHARS_MAX) return false;
  return toHeadingKey(extractHeadingText(content, heading)) === key;
}

function parseHeading(heading: string): { level: number | null; key: string } {
  const [hashes = ""] = /^#{1,6}(?=[ \t])/.exec(heading.trimStart()) ?? [];
  const text = heading.trimStart().slice(hashes.length);
  return { level: hashes === "" ? null : hashes.length, key: toHeadingKey(text) };
}

/**
 * Formats a heading on one line. A heading longer than the limit for section names is cut, since a caller
 * cannot request it anyway.
 */
function toOneLine(text: string): string {
  const line = text.slice(0, limits.titleCharsMax + 1).replace(/\s+/g, " ");
  return line.length > limits.titleCharsMax ? `${line.slice(0, limits.titleCharsMax - 1)}…` : line;
}

/**
 * Returns a key that is the same for similar headings: the text in lower case, without inline markup, a
 * closing colon or extra spaces. Underscores count as markup even within a word, so that one pass is enough.
 */
export function toHeadingKey(text: string): string {
  const unlinked = text.includes("](") ? text.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1") : text;
  const key = unlinked
    .replace(/[\\`*_~]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  return key.endsWith(":") ? key.slice(0, -1).trimEnd() : key;
}
