/**
 * The joiners U+200C and U+200D are invisible, but some words and emoji need them: parts of Persian words,
 * Indic letter forms after a virama, 👩‍💻. Anywhere else, they could only be used to hide content (CLI-149).
 */

const viramas = "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u1039\\u17d2";
const emoji = "\\p{RGI_Emoji_ZWJ_Sequence}";
// Matches the joiner first, and the characters before it with a lookbehind. In the other order, a run of
// marks would be read again for each of its marks.
const afterVirama = `[\\u200c\\u200d](?<=\\p{L}\\p{Mn}*[${viramas}].)(?![\\u200c\\u200d])`;
const buildArabicPattern = (before: string) => `\\u200c(?<=${before}\\p{Mn}*.)(?=\\p{Script=Arabic})`;

// Arabic letters that never join to the next letter, so U+200C after them has no effect.
const unjoined =
  "\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef";

const joined = `${emoji}|${afterVirama}|${buildArabicPattern("\\p{Script=Arabic}")}`;
const joinedInNames = `${emoji}|${afterVirama}(?=\\p{L})|${buildArabicPattern(`[[\\p{Script=Arabic}&&\\p{L}]--[${unjoined}]]`)}`;

/**
 * Returns an expression that matches the parts of a string that need a joiner. It is created on each call,
 * because older browsers, which never call this, do not support the `v` flag.
 */
export function createJoinedPattern(): RegExp {
  return new RegExp(joined, "gv");
}

/**
 * Returns an expression that matches only parts in which each joiner has a visible effect. Two different
 * names therefore always look different.
 */
export function createJoinedNamePattern(): RegExp {
  return new RegExp(joinedInNames, "gv");
}
