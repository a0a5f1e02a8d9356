/** A range of the source text, in UTF-16 code units. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

export interface SelectedSourceRange extends SourceRange {
  /**
   * True if the range is larger than the selection, because part of the selected text maps to the source only as a
   * whole.
   */
  readonly isWidened: boolean;
}

/**
 * Maps between a rendered document and its source text. Each part is an element with `data-part`. Each piece inside is an element
 * with `data-at`, its offset in the part.
 */
export interface PagePlaces {
  /** Returns the source range of a selection. Null if the selection is outside the document. */
  toSource(selected: Range): SelectedSourceRange | null;
  /** Returns the DOM ranges that render a source range. Empty if none of it is rendered. */
  toPage(stretch: SourceRange): Range[];
}

/**
 * Maps the document rendered in `root`, whose parts begin at the offsets `starts`. The mapping is valid until the next render.
 */
export function mapPlaces(root: HTMLElement, starts: ReadonlyMap<string, number>): PagePlaces {
  let cachedPieces: readonly Piece[] | undefined;
  function listPieces(): readonly Piece[] {
    cachedPieces ??= [...root.querySelectorAll<HTMLElement>("[data-at]")].flatMap((each) =>
      toPiece(each, starts),
    );
    return cachedPieces;
  }

  return {
    toSource(selected) {
      const selectedPieces = listPieces().flatMap((piece) => takeSelected(piece, selected));
      const start = Math.min(...selectedPieces.map((each) => each.start));
      const end = Math.max(...selectedPieces.map((each) => each.end));
      if (selectedPieces.length === 0 || start >= end) return null;
      // All text between the ends of a selection is selected completely, so only the ends can be wider than the
      // selection.
      const isWidened = selectedPieces.some(
        (each) => each.isWidened && (each.start === start || each.end === end),
      );
      return { start, end, isWidened };
    },
    toPage({ start, end }) {
      return listPieces()
        .filter((piece) => piece.start < end && piece.end > start)
        .map((piece) => toRange(piece, start, end));
    },
  };
}

/** A piece of rendered text, and its range in the source. */
interface Piece extends SourceRange {
  readonly element: HTMLElement;
  /** True if each rendered character is one character of the source. */
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

function takeSelected(piece: Piece, selected: Range): SelectedSourceRange[] {
  const { element } = piece;
  if (!selected.intersectsNode(element)) return [];
  const length = element.textContent?.length ?? 0;
  const isStartInside = element.contains(selected.startContainer);
  const isEndInside = element.contains(selected.endContainer);
  const from = isStartInside
    ? countCharactersBefore(element, selected.startContainer, selected.startOffset)
    : 0;
  const to = isEndInside ? countCharactersBefore(element, selected.endContainer, selected.endOffset) : length;
  // A selection that only touches an element's edge contains none of its text.
  if (from >= to) return [];
  if (piece.isExact) return [{ start: piece.start + from, end: piece.start + to, isWidened: false }];
  return [{ start: piece.start, end: piece.end, isWidened: from > 0 || to < length }];
}

function countCharactersBefore(element: HTMLElement, node: Node, offset: number): number {
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** Returns the DOM range of a piece, clipped to the source range. */
function toRange(piece: Piece, start: number, end: number): Range {
  const range = document.createRange();
  range.selectNodeContents(piece.element);
  if (!piece.isExact) return range;
  if (start > piece.start) range.setStart(...locatePoint(piece.element, start - piece.start));
  if (end < piece.end) range.setEnd(...locatePoint(piece.element, end - piece.start));
  return range;
}

function locatePoint(element: HTMLElement, offset: number): [Node, number] {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let remaining = offset;
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const length = text.textContent?.length ?? 0;
    if (remaining <= length) return [text, remaining];
    remaining -= length;
  }
  return [element, element.childNodes.length];
}
