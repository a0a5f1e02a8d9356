/** A piece of a text in which something was searched. */
export interface MarkedPiece {
  readonly text: string;
  readonly found: boolean;
}

/** Parts a text of `recall` or `search` at its «marks»; the broker shows a « of the text itself as ‹ (MEM-7). */
export function splitMarks(marked: string): readonly MarkedPiece[] {
  return marked
    .split(/«([^«»]*)»/)
    .map((text, index) => ({ text, found: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
