/**
 * Yields all offsets at which `wanted` occurs in `text`, in order and including overlaps.
 *
 * Uses the Knuth-Morris-Pratt algorithm, because callers may choose both strings and `indexOf` takes
 * quadratic time in the worst case. Half a megabyte of a single letter would block the event loop for a
 * minute.
 */
export function* occurrences(text: string, wanted: string): Generator<number, void> {
  if (wanted.length === 0) throw new RangeError("Expected a text to search for, got an empty text.");
  const borders = borderLengths(wanted);
  const beginning = wanted.slice(0, beginningUnits);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    if (matched === 0) {
      at = text.indexOf(beginning, at);
      if (at < 0) return;
    }
    const code = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched++;
    if (matched < wanted.length) continue;
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
function borderLengths(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    const code = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (wanted.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
