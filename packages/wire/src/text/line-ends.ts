/**
 * Text in which every line ending is a line feed, as models see it, with a mapping to the original text. A
 * model's quote from this text refers to the original passage, which keeps its own line endings (DOC-12).
 */
export interface PlainLines {
  readonly text: string;
  /** Converts an offset in `text` to an offset in the original text. */
  toOriginal(offset: number): number;
}

export function toPlainLines(original: string): PlainLines {
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

/** Returns the line ending of the first line. */
export function findLineEnd(text: string): string | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0];
}

export function withLineEnd(text: string, lineEnd: string): string {
  if (lineEnd === "\n" && !text.includes("\r")) return text;
  return text.replace(/\r\n|\r|\n/g, lineEnd);
}
