import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { endOfString, parseStrictJson } from "@merkle/wire/text";

/**
 * Parses JSON that comes from outside. Two MiB can hold a million values, and whatever looks at each of them keeps everybody
 * else waiting; so they are counted before any is made (LIMIT-1).
 *
 * @throws bad_request for text that is no JSON, names a member twice, or holds more than `valuesMax` values
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

/** Exact for JSON. Of other text, which is refused anyway, it is only certain that it is read quickly. */
function holdsMoreValues(text: string, max: number): boolean {
  // Each value but the first brings another character beside its own.
  if (text.length <= 2 * max) return false;
  // A value begins the text, follows a comma, or is the first in a list or object.
  const next = /[,"]|[[{](?!\s*[\]}])/g;
  let values = 1;
  let strings = 0;
  // There are fewer than two strings to a value: itself, and its name.
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
