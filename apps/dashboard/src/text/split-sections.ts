import { headingText, scanMarkdown } from "@merkle/wire/text";

/** A part of the document that begins with a heading, or the text above the first heading. */
export interface DocumentSection {
  /** The same for the same section of the next version, as long as its heading stays. */
  readonly key: string;
  /** The heading's level; 0 above the first heading. */
  readonly level: number;
  /** The heading's words without inline marks; "" above the first heading. */
  readonly title: string;
  /** The markdown from the heading's line to the next heading. All sections joined are the document. */
  readonly text: string;
}

/** Cuts a document where its headings are, those of the document itself alone: one in a list or a quote belongs to that. */
export function splitSections(content: string): DocumentSection[] {
  const cuts: Cut[] = [];
  scanMarkdown(content, (heading) => {
    const { start, level } = heading;
    cuts.push({ start, level, title: plainTitle(headingText(content, heading)) });
  });
  const seen = new Map<string, number>();
  const parts = cuts[0]?.start === 0 ? cuts : [{ start: 0, level: 0, title: "" }, ...cuts];
  return parts
    .map(({ start, level, title }, index) => {
      const name = `${level} ${title}`;
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      return { key: `${name} ${nth}`, level, title, text: content.slice(start, parts[index + 1]?.start) };
    })
    .filter(({ text }) => text !== "");
}

interface Cut {
  readonly start: number;
  readonly level: number;
  readonly title: string;
}

/** A heading as one reads it: links as their words, without the marks of emphasis and code. */
function plainTitle(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/[\\`*]+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** On one line: looking beyond it for the end of each "[" would take the square of the document's length. */
const definition = /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$/gm;

/**
 * The link definitions of a document. A section is drawn on its own and needs those of the others: put below its text, they
 * show nothing themselves.
 */
export function linkDefinitions(content: string): string {
  if (!content.includes("]:")) return "";
  const found = content.match(definition);
  return found ? `\n\n${[...new Set(found)].join("\n")}` : "";
}

/** The keys of the sections that are new or read otherwise than before. */
export function changedSections(
  before: readonly DocumentSection[],
  after: readonly DocumentSection[],
): ReadonlySet<string> {
  const texts = new Map(before.map(({ key, text }) => [key, text.trimEnd()]));
  return new Set(after.filter(({ key, text }) => texts.get(key) !== text.trimEnd()).map(({ key }) => key));
}
