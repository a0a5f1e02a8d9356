/**
 * A text with `\n` as its only line end, as every rendering for a model shows it, and the way back: a model that quotes what it was
 * shown means the text with its own line ends (DOC-12).
 */
export interface PlainLines {
  readonly text: string;
  /** The place in the original of an offset in `text`. */
  toOriginal(offset: number): number;
}

export function plainLines(original: string): PlainLines {
  return {
    text: withLineEnd(original, "\n"),
    toOriginal(offset) {
      let pairs = 0;
      for (const { index } of original.matchAll(/\r\n/g)) {
        if (index - pairs >= offset) break;
        pairs++;
      }
      return offset + pairs;
    },
  };
}

/** The line end that the first line of a text has. */
export function lineEndOf(text: string): string | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0];
}

export function withLineEnd(text: string, lineEnd: string): string {
  if (lineEnd === "\n" && !text.includes("\r")) return text;
  return text.replace(/\r\n|\r|\n/g, lineEnd);
}
