import { isInIsolate, isolate } from "./one-line.js";

/**
 * Returns the number of terminal columns that a string occupies, or the largest number where terminals
 * disagree. Wide letters and emoji take two columns, and combining marks take none. Characters joined by any
 * other means each count at their own width.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const letter of splitGraphemes(text)) width += measureLetter(letter);
  return width;
}

/** Truncates text to a number of columns. Truncated text ends with `more`. */
export function cutToWidth(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text;
  let left = columns - displayWidth(more);
  let cut = "";
  for (const letter of splitGraphemes(text)) {
    left -= measureLetter(letter);
    if (left < 0) break;
    cut += letter;
  }
  return `${cut.trimEnd()}${isInIsolate(cut) ? isolate.end : ""}${more}`;
}

let graphemes: Intl.Segmenter | undefined;

/**
 * Splits a string into grapheme clusters. Creates the segmenter on demand, because creating it takes longer
 * than most commands run.
 */
export function splitGraphemes(text: string): Iterable<string> {
  if (hasOnlyNarrow(text)) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function measureLetter(letter: string): number {
  if (hasOnlyNarrow(letter)) return 1;
  if (letter.length === 1) return zeroWidth.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  const [first = "", ...joined] = letter;
  // A variation selector after the character can turn it into an emoji.
  const width = zeroWidth.test(first) ? 0 : wide.test(letter) ? 2 : 1;
  return joined.reduce(
    (sum, each) => sum + (zeroWidth.test(each) || joining.test(each) ? 0 : measureLetter(each)),
    width,
  );
}

/**
 * Returns whether a string consists of characters that take one column each and join no other: printable ASCII,
 * Latin letters, and the punctuation, arrows and marks that this program prints.
 */
function hasOnlyNarrow(text: string): boolean {
  return /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u25a0-\u25fc\u2713\u2717]*$/.test(text);
}

// Matches characters without width, including those that begin a colour sequence.
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
// Matches characters that join the previous character: the second half of a flag, skin tones, and the later
// letters of a Hangul syllable.
const joining = /^[\p{Regional_Indicator}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7fb]$/u;

// Matches East Asian wide and full-width characters, and emoji.
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Bopomofo}](?<![\uff61-\uffdc])|[\u2ff0-\u303e\u309b\u309c\u30a0\u30fb\u30fc\u3190-\u319f\u31c0-\u31e3\u3200-\u33ff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;
