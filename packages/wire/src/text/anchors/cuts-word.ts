import type { Span } from "./locate-quote.js";

/**
 * Returns true if the other passage begins or ends within a word, but the first passage does not. The other
 * passage then has the same characters, but belongs to a different word.
 */
export function cutsWord(text: string, one: Span, otherText: string, other: Span): boolean {
  return (
    (isWithinWord(otherText, other.start) && !isWithinWord(text, one.start)) ||
    (isWithinWord(otherText, other.end) && !isWithinWord(text, one.end))
  );
}

function isWithinWord(text: string, at: number): boolean {
  return isWordCharacter(text[at - 1]) && isWordCharacter(text[at]);
}

function isWordCharacter(character = ""): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(character);
}
