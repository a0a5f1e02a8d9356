/** A stretch of a source, in UTF-16 units. */
export interface SourceStretch {
  readonly start: number;
  readonly end: number;
}

export interface SelectedStretch extends SourceStretch {
  /** Part of what was selected is known only as a whole, so that more than it is meant. */
  readonly isWidened: boolean;
}

/**
 * The way between a document as it is laid out and the text that it was laid out from. Each part is an element with
 * `data-part`, each piece in it one with `data-at`: an offset in its part.
 */
export interface PagePlaces {
  /**
   * Returns the stretch of the source that is written where somebody selected; null where nothing of the document is selected.
   */
  toSource(selected: Range): SelectedStretch | null;
  /** Where in the page a stretch is laid out, piece by piece; empty where none of it is seen. */
  toPage(stretch: SourceStretch): Range[];
}

/** The places of a document in `root`, whose parts begin at these offsets. They hold until it is laid out anew. */
export function placesIn(root: HTMLElement, starts: ReadonlyMap<string, number>): PagePlaces {
  let known: readonly Piece[] | undefined;
  function pieces(): readonly Piece[] {
    known ??= [...root.querySelectorAll<HTMLElement>("[data-at]")].flatMap((each) => toPiece(each, starts));
    return known;
  }

  return {
    toSource(selected) {
      const touched = pieces().flatMap((piece) => takeSelected(piece, selected));
      const start = Math.min(...touched.map((each) => each.start));
      const end = Math.max(...touched.map((each) => each.end));
      if (touched.length === 0 || start >= end) return null;
      // In between all is meant, so only the ends can be wider than what was selected.
      const isWidened = touched.some((each) => each.isWidened && (each.start === start || each.end === end));
      return { start, end, isWidened };
    },
    toPage({ start, end }) {
      return pieces()
        .filter((piece) => piece.start < end && piece.end > start)
        .map((piece) => toRange(piece, start, end));
    },
  };
}

/** A piece of text in the page, with where it is written in the whole source. */
interface Piece extends SourceStretch {
  readonly element: HTMLElement;
  /** Whether it is written there character by character. */
  readonly isExact: boolean;
}

function toPiece(element: HTMLElement, starts: ReadonlyMap<string, number>): Piece[] {
  const part = element.closest<HTMLElement>("[data-part]")?.dataset["part"];
  const partStart = part === undefined ? undefined : starts.get(part);
  if (partStart === undefined) return [];
  const { at, to } = element.dataset;
  const start = partStart + Number(at);
  const end = to === undefined ? start + (element.textContent?.length ?? 0) : partStart + Number(to);
  return [{ element, start, end, isExact: to === undefined }];
}

function takeSelected(piece: Piece, selected: Range): SelectedStretch[] {
  const { element } = piece;
  if (!selected.intersectsNode(element)) return [];
  const length = element.textContent?.length ?? 0;
  const holdsStart = element.contains(selected.startContainer);
  const holdsEnd = element.contains(selected.endContainer);
  const from = holdsStart ? charactersBefore(element, selected.startContainer, selected.startOffset) : 0;
  const to = holdsEnd ? charactersBefore(element, selected.endContainer, selected.endOffset) : length;
  // A selection that only touches an element's edge selects nothing of it.
  if (from >= to) return [];
  if (piece.isExact) return [{ start: piece.start + from, end: piece.start + to, isWidened: false }];
  return [{ start: piece.start, end: piece.end, isWidened: from > 0 || to < length }];
}

function charactersBefore(element: HTMLElement, node: Node, offset: number): number {
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** The part of a piece that lies in the stretch. */
function toRange(piece: Piece, start: number, end: number): Range {
  const range = document.createRange();
  range.selectNodeContents(piece.element);
  if (!piece.isExact) return range;
  if (start > piece.start) range.setStart(...pointAt(piece.element, start - piece.start));
  if (end < piece.end) range.setEnd(...pointAt(piece.element, end - piece.start));
  return range;
}

function pointAt(element: HTMLElement, offset: number): [Node, number] {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = offset;
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const length = text.textContent?.length ?? 0;
    if (left <= length) return [text, left];
    left -= length;
  }
  return [element, element.childNodes.length];
}
