import { splitGraphemes } from "../text/display-width.js";
import { toOneLine } from "../text/one-line.js";

/**
 * Returns a short, unique mark for each name: one letter, or two if several names begin with the same letter.
 * If two names have the same candidates, the earlier name gets the better one.
 */
export function assignTeamMarks(names: readonly string[]): string[] {
  const first = names.map((name) => toLetters(name)[0] ?? "?");
  const taken = new Set<string>();
  return names.map((name, index) => {
    const letter = first[index] ?? "?";
    const isAlone = first.filter((each) => each === letter).length === 1;
    const mark =
      (isAlone ? [letter] : toPairs(name)).find((each) => !taken.has(each)) ?? `${letter}${index + 1}`;
    taken.add(mark);
    return mark;
  });
}

/**
 * Returns candidates for a two-letter mark: the first letter followed by the first letter of another word,
 * then by each other letter of the name. For `Alex's Team` these are AT, As, Al, Ae …
 */
function toPairs(name: string): string[] {
  const [first = "?", ...others] = toLetters(name);
  const words = toOneLine(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const wordInitials = words.slice(1).flatMap((word) => toLetters(word)[0] ?? []);
  return [...wordInitials, ...others.map((each) => each.toLowerCase())].map((each) => `${first}${each}`);
}

/** Returns the letters and digits of a name, or all its characters if it contains neither. */
function toLetters(name: string): string[] {
  const all = Array.from(splitGraphemes(toOneLine(name)), (letter) => letter.toUpperCase());
  const letters = all.filter((each) => /[\p{L}\p{N}]/u.test(each));
  return letters.length > 0 ? letters : all;
}
