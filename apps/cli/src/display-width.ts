/**
 * How many columns of a terminal a text takes, or more where terminals differ: wide letters and emoji two, marks that take no
 * room none, whatever else joins the letter before as much as it would take alone.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, cut to so many columns; the last of what is left is `more` where something is missing. */
export function cutToWidth(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text;
  let left = columns - displayWidth(more);
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${more}`;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function graphemeWidth(segment: string): number {
  if (segment.length === 1) return none.test(segment) ? 0 : wide.test(segment) ? 2 : 1;
  const [first = "", ...joined] = segment;
  // An emoji is known as one by what is behind it.
  const width = none.test(first) ? 0 : wide.test(segment) ? 2 : 1;
  return joined.reduce(
    (sum, each) => sum + (none.test(each) || joins.test(each) ? 0 : graphemeWidth(each)),
    width,
  );
}

// Colours take no place.
const none = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
// The second half of a flag, the tone of a skin, the later letters of a Hangul syllable.
const joins = /^[\p{Regional_Indicator}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7fb]$/u;

// East Asian wide and full-width letters, and what is shown as a picture.
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Bopomofo}](?<![\uff61-\uffdc])|[\u3000-\u303e\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;
