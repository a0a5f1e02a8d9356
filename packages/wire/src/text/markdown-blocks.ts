import { findHtmlBlockEnd, type HtmlBlockEnd } from "./markdown-html-blocks.js";

/** A heading of the document itself. Headings within a block quote or list item do not count. */
export interface Heading {
  readonly level: number;
  /**
   * Where the heading's text starts and ends. The text itself is not extracted, because that would cost more
   * than finding the headings.
   */
  readonly textStart: number;
  readonly textEnd: number;
  /** Offset at which the heading's first line starts. */
  readonly start: number;
  /** Offset at which the line after the heading starts. */
  readonly end: number;
}

/** The blocks that are still open at the end of the markdown. */
export interface MarkdownEnd {
  /**
   * The line that would close the code fence or HTML block that is still open, so that a heading can follow.
   * Null if none is open.
   */
  readonly unclosed: string | null;
  /** True if the text ends within a list item, which an indented line would then continue. */
  readonly endsInList: boolean;
}

/**
 * Calls `onHeading` for each heading in the markdown, in order. Scans `content` once, in linear time for any
 * input. Blocks are recognised as in CommonMark 0.31, including containers and lazy lines. There are two
 * differences, which affect only unusual documents: containers nested deeper than 20 count as text, and link
 * definitions directly above `---` become part of the heading.
 */
export function scanMarkdown(content: string, onHeading: (heading: Heading) => void): MarkdownEnd {
  const scanner = new BlockScanner(content, onHeading);
  while (scanner.readLine());
  return scanner.end();
}

/** Returns the text of a heading, including inline markup but without the number signs around it. */
export function extractHeadingText(content: string, { start, textStart, textEnd }: Heading): string {
  const text = content.slice(textStart, textEnd).trim();
  return textStart > start ? stripClosingMarks(text) : text;
}

function stripClosingMarks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end--;
  const isClosing = end === 0 || text[end - 1] === " " || text[end - 1] === "\t";
  return isClosing ? text.slice(0, end).trimEnd() : text;
}

type Container =
  | { readonly kind: "quote" }
  | { readonly kind: "item"; readonly width: number; isEmpty: boolean };

type Leaf =
  | { readonly kind: "none" }
  | { readonly kind: "paragraph"; readonly start: number; end: number }
  | { readonly kind: "fence"; readonly mark: string; readonly length: number }
  | { readonly kind: "html"; readonly end: HtmlBlockEnd };

/**
 * Maximum nesting of containers. A blank line takes one step for each open container, so deep nesting would
 * otherwise take quadratic time.
 */
const CONTAINERS_MAX = 20;

const none: Leaf = { kind: "none" };
const quote: Container = { kind: "quote" };

/** Characters with which a block other than a paragraph can begin. */
const blockMarks: ReadonlySet<number> = new Set(
  Array.from("#`~<=-*_>+0123456789", (mark) => mark.charCodeAt(0)),
);

const CODE_INDENT = 4;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

class BlockScanner {
  readonly #content: string;
  readonly #onHeading: (heading: Heading) => void;
  /** The open containers, outermost first. `#leaf` is the open block in the innermost container. */
  readonly #stack: Container[] = [];
  #leaf: Leaf = none;

  #lineStart = 0;
  #lineEnd = 0;
  #nextStart = 0;
  /**
   * Number of columns of the line that have been consumed. Indentation is counted in columns, because only
   * part of a tab may have been consumed.
   */
  #column = 0;
  /** Offset of the first unconsumed character that is not a space or tab. `#firstColumn` is its column. */
  #first = 0;
  #firstColumn = 0;
  /** No thematic break in this line begins before this offset. Set when an attempt to find one fails. */
  #breakFails = 0;

  constructor(content: string, onHeading: (heading: Heading) => void) {
    this.#content = content;
    this.#onHeading = onHeading;
  }

  /** Reads one line of the text. Returns false at the end of the text. */
  readLine(): boolean {
    if (this.#nextStart >= this.#content.length) return false;
    this.#takeLine();
    const depth = this.#matchContainers();
    const areAllMatched = depth === this.#stack.length;
    if (!(areAllMatched && this.#continuesVerbatim())) this.#readBlocks(depth, areAllMatched);
    return true;
  }

  end(): MarkdownEnd {
    return {
      // A block within a container ends with the container, at the next line that is outside it, so only a
      // top-level block must be closed.
      unclosed: this.#stack.length === 0 ? findClosingLine(this.#leaf) : null,
      endsInList: this.#stack[0]?.kind === "item",
    };
  }

  #takeLine(): void {
    const content = this.#content;
    const start = this.#nextStart;
    let end = start;
    while (end < content.length) {
      const code = content.charCodeAt(end);
      if (code === LF || code === CR) break;
      end++;
    }
    const isCrlf = content.charCodeAt(end) === CR && content.charCodeAt(end + 1) === LF;
    this.#lineStart = start;
    this.#lineEnd = end;
    this.#nextStart = end + (isCrlf ? 2 : 1);
    this.#breakFails = 0;
    this.#column = 0;
    this.#skipTo(start, 0);
  }

  /** Moves to the next character that is not a space or tab, starting at `offset`, which is in `column`. */
  #skipTo(offset: number, column: number): void {
    let at = offset;
    let reached = column;
    for (; at < this.#lineEnd; at++) {
      const code = this.#content.charCodeAt(at);
      if (code === SPACE) reached++;
      else if (code === TAB) reached += 4 - (reached % 4);
      else break;
    }
    this.#first = at;
    this.#firstColumn = reached;
  }

  get #indent(): number {
    return this.#firstColumn - this.#column;
  }

  get #isBlank(): boolean {
    return this.#first >= this.#lineEnd;
  }

  #consumeMarker(length: number): void {
    this.#column = this.#firstColumn + length;
    this.#skipTo(this.#first + length, this.#column);
  }

  /**
   * Consumes the prefixes of the open containers that this line continues. Returns the number of these
   * containers.
   */
  #matchContainers(): number {
    let depth = 0;
    for (; depth < this.#stack.length; depth++) {
      const container = this.#stack[depth];
      if (!container || !this.#continuesContainer(container)) break;
    }
    return depth;
  }

  #continuesContainer(container: Container): boolean {
    if (container.kind === "quote") return this.#takeQuoteMarker();
    if (this.#isBlank) return !container.isEmpty;
    if (this.#indent < container.width) return false;
    this.#column += container.width;
    container.isEmpty = false;
    return true;
  }

  #takeQuoteMarker(): boolean {
    if (this.#isBlank || this.#indent >= CODE_INDENT || this.#content[this.#first] !== ">") return false;
    this.#consumeMarker(1);
    if (this.#indent > 0) this.#column++;
    return true;
  }

  /**
   * Returns true if the line is inside an open code fence or HTML block, in which no other block can begin.
   * If the line ends that block, closes it.
   */
  #continuesVerbatim(): boolean {
    const leaf = this.#leaf;
    if (leaf.kind === "fence") {
      if (this.#closesFence(leaf.mark, leaf.length)) this.#leaf = none;
      return true;
    }
    if (leaf.kind === "html") {
      if (this.#endsHtml(leaf.end)) this.#leaf = none;
      return true;
    }
    return false;
  }

  #closesFence(mark: string, length: number): boolean {
    if (this.#indent >= CODE_INDENT) return false;
    const run = this.#runLength(mark);
    return run >= length && this.#isBlankFrom(this.#first + run);
  }

  #endsHtml(end: HtmlBlockEnd): boolean {
    return end.at === "blank-line" ? this.#isBlank : end.mark.test(this.#readRest());
  }

  /** Opens the blocks that begin in the rest of the line, or adds the rest to the open paragraph. */
  #readBlocks(matched: number, areAllMatched: boolean): void {
    let depth = matched;
    let isInParagraph = areAllMatched && this.#leaf.kind === "paragraph";
    while (!this.#isBlank) {
      if (this.#indent >= CODE_INDENT) {
        // An indented line continues an open paragraph. Otherwise the line is code, which cannot contain a
        // heading.
        if (this.#leaf.kind === "paragraph") break;
        this.#close(depth);
        return;
      }
      if (!blockMarks.has(this.#content.charCodeAt(this.#first))) break;
      if (this.#opensLeaf(depth, isInParagraph)) return;
      const container = depth < CONTAINERS_MAX ? this.#takeContainer(isInParagraph) : null;
      if (!container) break;
      this.#close(depth);
      this.#stack.push(container);
      depth++;
      isInParagraph = false;
    }
    if (this.#isBlank) this.#close(depth);
    else this.#addText(depth);
  }

  /** Closes the open block, and all containers from `depth` on. */
  #close(depth: number): void {
    if (depth < this.#stack.length) this.#stack.length = depth;
    this.#leaf = none;
  }

  #addText(depth: number): void {
    // A line that does not continue the containers is a lazy line: it also continues the paragraph, and the
    // containers stay open.
    if (this.#leaf.kind === "paragraph") {
      this.#leaf.end = this.#lineEnd;
      return;
    }
    this.#close(depth);
    this.#leaf = { kind: "paragraph", start: this.#lineStart, end: this.#lineEnd };
  }

  /**
   * Returns true if the rest of the line is a heading or thematic break, or begins a code fence or HTML
   * block.
   */
  #opensLeaf(depth: number, isInParagraph: boolean): boolean {
    switch (this.#content[this.#first]) {
      case "#":
        return this.#takeAtxHeading(depth);
      case "`":
      case "~":
        return this.#takeFence(depth);
      case "<":
        return this.#takeHtml(depth);
      case "=":
        return isInParagraph && this.#takeSetextHeading("=", 1);
      case "-":
        return (isInParagraph && this.#takeSetextHeading("-", 2)) || this.#takeThematicBreak(depth);
      case "*":
      case "_":
        return this.#takeThematicBreak(depth);
      default:
        return false;
    }
  }

  #takeAtxHeading(depth: number): boolean {
    const level = this.#runLength("#");
    const after = this.#first + level;
    if (level > 6 || !this.#isSpaceOrEnd(after)) return false;
    this.#close(depth);
    if (depth === 0) this.#reportHeading(level, this.#lineStart, after, this.#lineEnd);
    return true;
  }

  #takeSetextHeading(mark: string, level: number): boolean {
    if (this.#leaf.kind !== "paragraph" || !this.#isBlankFrom(this.#first + this.#runLength(mark)))
      return false;
    const { start, end } = this.#leaf;
    this.#close(this.#stack.length);
    if (this.#stack.length === 0) this.#reportHeading(level, start, start, end);
    return true;
  }

  #reportHeading(level: number, start: number, textStart: number, textEnd: number): void {
    const end = Math.min(this.#nextStart, this.#content.length);
    this.#onHeading({ level, start, textStart, textEnd, end });
  }

  #takeFence(depth: number): boolean {
    const mark = this.#content[this.#first] === "`" ? "`" : "~";
    const length = this.#runLength(mark);
    if (length < 3) return false;
    // If another backtick follows in the line, this is a code span in a paragraph and not a fence.
    if (mark === "`" && this.#content.slice(this.#first + length, this.#lineEnd).includes("`")) return false;
    this.#close(depth);
    this.#leaf = { kind: "fence", mark, length };
    return true;
  }

  #takeHtml(depth: number): boolean {
    const rest = this.#readRest();
    const end = findHtmlBlockEnd(rest, this.#leaf.kind === "paragraph");
    if (!end) return false;
    this.#close(depth);
    if (!(end.at === "mark" && end.mark.test(rest))) this.#leaf = { kind: "html", end };
    return true;
  }

  #takeThematicBreak(depth: number): boolean {
    if (this.#first < this.#breakFails) return false;
    const mark = this.#content.charCodeAt(this.#first);
    let marks = 0;
    for (let at = this.#first; at < this.#lineEnd; at++) {
      const code = this.#content.charCodeAt(at);
      if (code === mark) marks++;
      else if (code !== SPACE && code !== TAB) {
        this.#breakFails = at;
        return false;
      }
    }
    if (marks < 3) return false;
    this.#close(depth);
    return true;
  }

  #takeContainer(isInParagraph: boolean): Container | null {
    return this.#takeQuoteMarker() ? quote : this.#takeItemMarker(isInParagraph);
  }

  #takeItemMarker(isInParagraph: boolean): Container | null {
    const marker = this.#findItemMarker();
    if (!marker || !this.#isSpaceOrEnd(this.#first + marker.length)) return null;
    const isEmpty = this.#isBlankFrom(this.#first + marker.length);
    if (isInParagraph && (isEmpty || !marker.canInterrupt)) return null;

    const indent = this.#indent;
    this.#consumeMarker(marker.length);
    // If there are five or more columns, only the first belongs to the marker, and the rest begins indented
    // code.
    const gap = isEmpty || this.#indent > CODE_INDENT ? 1 : this.#indent;
    if (!isEmpty) this.#column += gap;
    return { kind: "item", width: indent + marker.length + gap, isEmpty };
  }

  #findItemMarker(): { length: number; canInterrupt: boolean } | null {
    const content = this.#content;
    const at = this.#first;
    if ("-+*".includes(content.charAt(at))) return { length: 1, canInterrupt: true };
    let digits = 0;
    while (digits < 10 && isDigit(content.charCodeAt(at + digits))) digits++;
    if (digits === 0 || digits > 9 || !".)".includes(content.charAt(at + digits))) return null;
    if (at + digits >= this.#lineEnd) return null;
    return { length: digits + 1, canInterrupt: Number(content.slice(at, at + digits)) === 1 };
  }

  #readRest(): string {
    return this.#content.slice(this.#first, this.#lineEnd);
  }

  #runLength(mark: string): number {
    const code = mark.charCodeAt(0);
    let at = this.#first;
    while (at < this.#lineEnd && this.#content.charCodeAt(at) === code) at++;
    return at - this.#first;
  }

  #isSpaceOrEnd(at: number): boolean {
    const code = this.#content.charCodeAt(at);
    return at >= this.#lineEnd || code === SPACE || code === TAB;
  }

  #isBlankFrom(offset: number): boolean {
    let at = offset;
    while (at < this.#lineEnd && this.#isSpaceOrEnd(at)) at++;
    return at >= this.#lineEnd;
  }
}

function findClosingLine(leaf: Leaf): string | null {
  if (leaf.kind === "fence") return leaf.mark.repeat(leaf.length);
  return leaf.kind === "html" && leaf.end.at === "mark" ? leaf.end.close : null;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
