import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { endOfString, parseStrictJson } from "@merkle/wire/text";

/**
 * Parses JSON from outside. Two MiB can contain a million values, and processing each of them would delay all other callers.
 * They are therefore counted before any is created (LIMIT-1).
 *
 * @throws bad_request for invalid JSON, a duplicate member name, or more than `valuesMax` values
 */
export function parseJson(
  text: string,
  { valuesMax = limits.jsonValuesMax }: { valuesMax?: number } = {},
): unknown {
  if (holdsMoreValues(text, valuesMax)) {
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
 * Returns whether a text has more values than `max`. Exact for valid JSON. Any other text is refused anyway, and is read
 * quickly here.
 */
function holdsMoreValues(text: string, max: number): boolean {
  // Each value except the first takes at least one more character besides its own.
  if (text.length <= 2 * max) return false;
  // A value begins the text, follows a comma, or is the first in a list or object.
  const next = /[,"]|[[{](?!\s*[\]}])/g;
  let values = 1;
  let strings = 0;
  // There are fewer than two strings per value: the value itself and its name.
  while (values <= max && strings < 2 * max) {
    const found = next.exec(text);
    if (!found) return false;
    if (found[0] === '"') {
      strings += 1;
      next.lastIndex = endOfString(text, next.lastIndex) + 1;
    } else {
      values += 1;
    }
  }
  return true;
}
