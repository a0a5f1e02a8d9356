import { extractHeadingText, scanMarkdown } from "@merkle/wire/document";

/** A part of the document that begins with a heading, or the text above the first heading. */
export interface DocumentSection {
  /** Stays the same in all versions in which the heading is the same. */
  readonly key: string;
  /** Level of the heading. 0 above the first heading. */
  readonly level: number;
  /** Text of the heading without inline markup. Empty above the first heading. */
  readonly title: string;
  /** The markdown from the heading to the next heading. All sections joined are the document. */
  readonly text: string;
}

/** Splits a document at its top-level headings. A heading inside a list or quote does not start a section. */
export function splitSections(content: string): DocumentSection[] {
  const starts: SectionStart[] = [];
  scanMarkdown(content, (heading) => {
    const { start, level } = heading;
    starts.push({ start, level, title: toPlainTitle(extractHeadingText(content, heading)) });
  });
  const counts = new Map<string, number>();
  const parts = starts[0]?.start === 0 ? starts : [{ start: 0, level: 0, title: "" }, ...starts];
  return parts
    .map(({ start, level, title }, index) => {
      const name = `${level} ${title}`;
      const nth = counts.get(name) ?? 0;
      counts.set(name, nth + 1);
      return { key: `${name} ${nth}`, level, title, text: content.slice(start, parts[index + 1]?.start) };
    })
    .filter(({ text }) => text !== "");
}

interface SectionStart {
  readonly start: number;
  readonly level: number;
  readonly title: string;
}

/** Returns the visible text of a heading: links by their text, without emphasis and code marks. */
function toPlainTitle(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/[\\`*]+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Matches within one line. Searching further for the end of each "[" would take quadratic time. */
const definition = /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$/gm;

/**
 * Returns all link definitions of a document. Each section is rendered separately, so it needs the definitions from all
 * sections appended. Definitions are invisible when rendered.
 */
export function extractLinkDefinitions(content: string): string {
  if (!content.includes("]:")) return "";
  const definitions = content.match(definition);
  return definitions ? `\n\n${[...new Set(definitions)].join("\n")}` : "";
}

/** Returns the keys of sections that are new or have changed. */
export function findChangedSections(
  before: readonly DocumentSection[],
  after: readonly DocumentSection[],
): ReadonlySet<string> {
  const texts = new Map(before.map(({ key, text }) => [key, text.trimEnd()]));
  return new Set(after.filter(({ key, text }) => texts.get(key) !== text.trimEnd()).map(({ key }) => key));
}
