/**
 * U+200C and U+200D are unseen, and part of how some words and emoji are written: Persian parts of a word, forms of Indic
 * letters behind a virama, 👩‍💻. Where they join nothing they would only hide in a text (CLI-149).
 */

const viramas = "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u1039\\u17d2";
const emoji = "\\p{RGI_Emoji_ZWJ_Sequence}";
// What precedes a joiner is looked at behind it. In front, each mark of a text would read the marks before it again.
const afterVirama = `[\\u200c\\u200d](?<=\\p{L}\\p{Mn}*[${viramas}].)(?![\\u200c\\u200d])`;
const inArabic = (before: string) => `\\u200c(?<=${before}\\p{Mn}*.)(?=\\p{Script=Arabic})`;

// Letters of Arabic that do not join the next one, which U+200C behind them would not change.
const unjoined =
  "\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef";

const joined = `${emoji}|${afterVirama}|${inArabic("\\p{Script=Arabic}")}`;
const joinedInNames = `${emoji}|${afterVirama}(?=\\p{L})|${inArabic(`[[\\p{Script=Arabic}&&\\p{L}]--[${unjoined}]]`)}`;

/** Matches what a joiner is part of, where the text needs it. Made at its call: older browsers have no `v`, and need none of this. */
export function joinedParts(): RegExp {
  return new RegExp(joined, "gv");
}

/** Matches the same where each joiner changes what is seen, so that two names that differ look different. */
export function joinedPartsOfName(): RegExp {
  return new RegExp(joinedInNames, "gv");
}
