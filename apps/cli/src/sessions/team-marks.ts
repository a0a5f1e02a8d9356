import { oneLine } from "../text/one-line.js";

/**
 * Returns a short, unique mark for each name: one letter, or two if several names begin with the same letter.
 * If two names have the same candidates, the earlier name gets the better one.
 */
export function teamMarks(names: readonly string[]): string[] {
  const first = names.map((name) => lettersOf(name)[0] ?? "?");
  const taken = new Set<string>();
  return names.map((name, index) => {
    const letter = first[index] ?? "?";
    const isAlone = first.filter((each) => each === letter).length === 1;
    const mark =
      (isAlone ? [letter] : pairsOf(name)).find((each) => !taken.has(each)) ?? `${letter}${index + 1}`;
    taken.add(mark);
    return mark;
  });
}

/**
 * Returns candidates for a two-letter mark: the first letter followed by the first letter of another word,
 * then by each other letter of the name. For `Alex's Team` these are AT, As, Al, Ae …
 */
function pairsOf(name: string): string[] {
  const [first = "?", ...others] = lettersOf(name);
  const words = oneLine(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const ofWords = words.slice(1).flatMap((word) => lettersOf(word)[0] ?? []);
  return [...ofWords, ...others.map((each) => each.toLowerCase())].map((each) => `${first}${each}`);
}

/** Returns the letters and digits of a name, or all its characters if it contains neither. */
function lettersOf(name: string): string[] {
  const all = [...new Intl.Segmenter().segment(oneLine(name))].map(({ segment }) => segment.toUpperCase());
  const letters = all.filter((each) => /[\p{L}\p{N}]/u.test(each));
  return letters.length > 0 ? letters : all;
}
