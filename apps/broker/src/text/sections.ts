import { limits } from "@merkle/wire/limits";
import { type Heading, headingText, scanMarkdown } from "@merkle/wire/text";

/** A heading is a line or two; a paragraph of thousands of characters above a `---` is none that anybody asks for. */
const HEADING_CHARS_MAX = 2000;

/** More than these are no help in a message. */
const LISTED_MAX = 50;

/**
 * Returns the section below a heading, with the heading, byte for byte (DOC-7); null when there is no such heading.
 * `heading` is its plain text, without regard to case. With number signs in front, a heading of that level is preferred;
 * of several that fit, the first is taken.
 */
export function findSection(content: string, heading: string): { text: string } | null {
  const { level, key } = wantedHeading(heading);
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
  const found = preferred ?? first;
  return found ? { text: content.slice(found.start, found.end) } : null;
}

/** The document's first 50 headings in order, on one line each, with the number signs of their levels, as `findSection` takes them. */
export function listHeadings(content: string): string[] {
  const headings: string[] = [];
  scanMarkdown(content, (heading) => {
    if (headings.length === LISTED_MAX) return;
    const text = headingText(content, heading);
    if (text !== "") headings.push(`${"#".repeat(heading.level)} ${oneLine(text)}`);
  });
  return headings;
}

/** A heading and what is below it. `end` is undefined while no heading of its level or a higher one came: it may go to the end. */
export interface Section {
  readonly level: number;
  readonly start: number;
  end: number | undefined;
}

export function openSection({ level, start }: Heading): Section {
  return { level, start, end: undefined };
}

/** Ends the section at the next heading, if that is of its level or higher. */
export function endSection(section: Section, next: Heading): void {
  if (next.level <= section.level) section.end ??= next.start;
}

/** Whether a heading reads like `key`, which `headingKey` made. */
export function hasText(content: string, heading: Heading, key: string): boolean {
  const length = heading.textEnd - heading.textStart;
  // A key is never longer than its text, and markup makes a text only so much longer: most headings need no look.
  if (length < key.length || length > HEADING_CHARS_MAX) return false;
  return headingKey(headingText(content, heading)) === key;
}

function wantedHeading(heading: string): { level: number | null; key: string } {
  const [signs = ""] = /^#{1,6}(?=[ \t])/.exec(heading.trimStart()) ?? [];
  const text = heading.trimStart().slice(signs.length);
  return { level: signs === "" ? null : signs.length, key: headingKey(text) };
}

/** A heading longer than a section's name can be is cut: it cannot be asked for anyway. */
function oneLine(text: string): string {
  const line = text.slice(0, limits.titleCharsMax + 1).replace(/\s+/g, " ");
  return line.length > limits.titleCharsMax ? `${line.slice(0, limits.titleCharsMax - 1)}…` : line;
}

/**
 * Returns the text that two headings share when they read alike: in lower case without inline markup, a closing colon and
 * spare spaces. Underscores count as markup, also within a word, so that one pass is enough.
 */
export function headingKey(text: string): string {
  const unlinked = text.includes("](") ? text.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1") : text;
  const key = unlinked
    .replace(/[\\`*_~]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  return key.endsWith(":") ? key.slice(0, -1).trimEnd() : key;
}
