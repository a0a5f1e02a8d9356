/** How many columns of a terminal a text takes: wide letters and emoji two, marks that join the letter before none. */
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
  // Colours take no place.
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

// East Asian wide and full-width letters, and what is shown as a picture.
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Bopomofo}](?<![\uff61-\uffdc])|[\u3000-\u303e\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;
