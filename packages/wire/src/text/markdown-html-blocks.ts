/**
 * How an HTML block ends: at a blank line, or in the line that contains an end mark. `close` is a string that
 * always ends the block.
 */
export type HtmlBlockEnd =
  | { readonly at: "blank-line" }
  | { readonly at: "mark"; readonly mark: RegExp; readonly close: string };

const blankLine: HtmlBlockEnd = { at: "blank-line" };

const verbatimStart = /^<(script|pre|style|textarea)(?:[ \t>]|$)/i;
const verbatimEnd = /<\/(?:script|pre|style|textarea)>/i;

const marked: readonly { readonly start: RegExp; readonly end: HtmlBlockEnd }[] = [
  { start: /^<!--/, end: { at: "mark", mark: /-->/, close: "-->" } },
  { start: /^<\?/, end: { at: "mark", mark: /\?>/, close: "?>" } },
  { start: /^<![a-z]/i, end: { at: "mark", mark: />/, close: ">" } },
  { start: /^<!\[CDATA\[/, end: { at: "mark", mark: /\]\]>/, close: "]]>" } },
];

const blockNames =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|" +
  "track|ul";
const blockStart = new RegExp(`^</?(?:${blockNames})(?:[ \\t]|/?>|$)`, "i");

const attribute = `[ \\t]+[a-z_:][a-z0-9_.:-]*(?:[ \\t]*=[ \\t]*(?:[^ \\t"'=<>\`]+|'[^']*'|"[^"]*"))?`;
const wholeTag = new RegExp(
  `^<(?:[a-z][a-z0-9-]*(?:${attribute})*[ \\t]*/?|/[a-z][a-z0-9-]*[ \\t]*)>[ \\t]*$`,
  "i",
);

/**
 * Returns how an HTML block that begins in `line` ends. `line` must start at its first "<". Returns null if
 * no HTML block begins there (CommonMark 0.31, section 4.6). A line with only a tag that is not in
 * CommonMark's list cannot interrupt a paragraph.
 */
export function findHtmlBlockEnd(line: string, isInParagraph: boolean): HtmlBlockEnd | null {
  const verbatim = verbatimStart.exec(line)?.[1];
  if (verbatim !== undefined) return { at: "mark", mark: verbatimEnd, close: `</${verbatim}>` };
  for (const { start, end } of marked) if (start.test(line)) return end;
  if (blockStart.test(line)) return blankLine;
  return !isInParagraph && wholeTag.test(line) ? blankLine : null;
}
