/**
 * U+200C and U+200D are invisible, but some words and emoji need them: parts of Persian words, Indic letter
 * forms after a virama, 👩‍💻. Elsewhere they could only hide content (CLI-149).
 */

const viramas = "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u1039\\u17d2";
const emoji = "\\p{RGI_Emoji_ZWJ_Sequence}";
// Matches the joiner first and then looks behind it. Matching the preceding characters first would read a run
// of marks again for each mark.
const afterVirama = `[\\u200c\\u200d](?<=\\p{L}\\p{Mn}*[${viramas}].)(?![\\u200c\\u200d])`;
const inArabic = (before: string) => `\\u200c(?<=${before}\\p{Mn}*.)(?=\\p{Script=Arabic})`;

// Arabic letters that do not join to the next letter, so that U+200C after them has no effect.
const unjoined =
  "\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef";

const joined = `${emoji}|${afterVirama}|${inArabic("\\p{Script=Arabic}")}`;
const joinedInNames = `${emoji}|${afterVirama}(?=\\p{L})|${inArabic(`[[\\p{Script=Arabic}&&\\p{L}]--[${unjoined}]]`)}`;

/**
 * Matches the parts of a text that need a joiner. Built on each call: older browsers lack the `v` flag and do
 * not call this.
 */
export function joinedParts(): RegExp {
  return new RegExp(joined, "gv");
}

/**
 * Matches only parts in which each joiner has a visible effect, so that two different names look different.
 */
export function joinedPartsOfName(): RegExp {
  return new RegExp(joinedInNames, "gv");
}
