/**
 * Yields all offsets at which `wanted` occurs in `text`, in order and including overlaps.
 *
 * Uses the Knuth-Morris-Pratt algorithm, because callers may choose both strings and `indexOf` takes
 * quadratic time in the worst case. Half a megabyte of a single letter would block the event loop for a
 * minute.
 */
export function* findOccurrences(text: string, pattern: string): Generator<number, void> {
  if (pattern.length === 0) throw new RangeError("Expected a text to search for, got an empty text.");
  const borders = computeBorderLengths(pattern);
  const beginning = pattern.slice(0, beginningUnits);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    if (matched === 0) {
      at = text.indexOf(beginning, at);
      if (at < 0) return;
    }
    const code = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched++;
    if (matched < pattern.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] ?? 0;
  }
}

/**
 * Length of the beginning that is searched with `indexOf`. Searching for such a short string takes linear
 * time in any case.
 */
const beginningUnits = 8;

/**
 * Returns, for each prefix of a string, the length of the longest shorter prefix that the prefix also ends
 * with.
 */
function computeBorderLengths(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at++) {
    const code = pattern.charCodeAt(at);
    while (length > 0 && pattern.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
