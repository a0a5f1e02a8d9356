/** A piece of a search result: a match, or the text around it. */
export interface HighlightSegment {
  readonly text: string;
  readonly isMatch: boolean;
}

/**
 * Splits text returned by `recall` or `search` at its «marks». The broker replaces a « in the original text with ‹
 * (MEM-7).
 */
export function splitMarks(marked: string): readonly HighlightSegment[] {
  return marked
    .split(/«([^«»]*)»/)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
