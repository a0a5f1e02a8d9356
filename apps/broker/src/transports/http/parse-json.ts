import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { endOfString, parseStrictJson } from "@merkle/wire/text";

/**
 * Parses JSON from a caller. Two MiB of JSON can contain a million values, which would take so long to process
 * that all other callers would be delayed. Values are therefore counted before any are created (LIMIT-1).
 *
 * @throws bad_request for invalid JSON, a duplicate member name, or more than `valuesMax` values
 */
export function parseJson(
  text: string,
  { valuesMax = limits.jsonValuesMax }: { valuesMax?: number } = {},
): unknown {
  if (hasMoreValues(text, valuesMax)) {
    throw new MerkleError(
      "bad_request",
      `The JSON has more than ${valuesMax} values, counting objects, lists and everything in them. Send less.`,
      { values_max: valuesMax },
    );
  }
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw new MerkleError(
      "bad_request",
      `This is not valid JSON: ${error instanceof Error ? error.message : "unreadable"}.`,
    );
  }
}

/**
 * Returns whether a string contains more than `max` values. The result is exact for valid JSON. Invalid JSON is
 * refused later anyway.
 */
function hasMoreValues(text: string, max: number): boolean {
  // Each value after the first needs at least one other character, such as a comma.
  if (text.length <= 2 * max) return false;
  // A value comes at the start of the string, after a comma, or first in a list or object.
  const next = /[,"]|[[{](?!\s*[\]}])/g;
  let values = 1;
  let strings = 0;
  // There are at most two strings per value: the value itself and its member name.
  while (values <= max && strings < 2 * max) {
    const match = next.exec(text);
    if (!match) return false;
    if (match[0] === '"') {
      strings += 1;
      next.lastIndex = endOfString(text, next.lastIndex) + 1;
    } else {
      values += 1;
    }
  }
  return true;
}
