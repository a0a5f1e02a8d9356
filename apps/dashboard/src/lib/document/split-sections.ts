/** A part of the document that begins with a heading, or what stands above the first one. */
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

/** A heading whose line begins at the margin: there it belongs to no list and no quote. */
const headingMark = /^#{1,6}(?=[ \t]|$)/;
const underline = /^(=+|-+)[ \t]*$/;
const fence = /^[ ]{0,3}(?:(?:[-*+]|\d{1,9}[.)])[ ]{1,4})*(`{3,}|~{3,})(.*)$/;
/** What can be underlined to a heading and is surely a paragraph: it begins with a letter or a digit that starts no list. */
const paragraph = /^(?!\d{1,9}[.)][ \t])[\p{L}\p{N}]/u;

/**
 * Cuts a document where its headings are. Only where a heading is beyond doubt: one that is missed merely stays inside of the
 * section above, while a cut inside of a block of code would tear it in two.
 */
export function splitSections(content: string): DocumentSection[] {
  const cuts = findHeadings(content);
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

function findHeadings(content: string): Cut[] {
  const cuts: Cut[] = [];
  let open: string | null = null;
  let inComment = false;
  let before = { start: 0, line: "" };
  let beforeThat = "";
  for (const { start, line } of eachLine(content)) {
    const mark = fence.exec(line);
    if (inComment) inComment = !line.includes("-->");
    else if (open !== null) {
      if (mark?.[1]?.startsWith(open) && mark[2]?.trim() === "") open = null;
    } else if (mark?.[1] && !(mark[1].startsWith("`") && mark[2]?.includes("`"))) open = mark[1];
    else if (/^[ ]{0,3}<!--/.test(line)) inComment = !line.includes("-->");
    else {
      const level = headingMark.exec(line)?.[0].length;
      if (level !== undefined) cuts.push({ start, level, title: headingTitle(line.slice(level)) });
      else if (underline.test(line) && beforeThat.trim() === "" && paragraph.test(before.line)) {
        cuts.push({
          start: before.start,
          level: line.startsWith("=") ? 1 : 2,
          title: plainTitle(before.line),
        });
      }
    }
    beforeThat = before.line;
    before = { start, line: open === null && !inComment ? line : "" };
  }
  return cuts;
}

function* eachLine(content: string): Generator<{ start: number; line: string }> {
  let start = 0;
  while (start < content.length) {
    const found = content.indexOf("\n", start);
    const end = found === -1 ? content.length : found;
    yield { start, line: content.slice(start, content[end - 1] === "\r" ? end - 1 : end) };
    start = end + 1;
  }
}

/** A closing run of # is no part of the title. */
function headingTitle(text: string): string {
  return plainTitle(text.trim().replace(/(?:^|[ \t])#+$/, ""));
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
