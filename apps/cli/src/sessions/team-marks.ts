import { oneLine } from "../text/one-line.js";

/**
 * A mark for each team, of one letter where that is enough and of two where others begin alike: marks differ where names do.
 * Teams that are there earlier have the shorter or nearer one.
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

/** Its first letter with that of another word, then with each other letter: `Alex's Team` is AT, As, Al, Ae … */
function pairsOf(name: string): string[] {
  const [first = "?", ...others] = lettersOf(name);
  const words = oneLine(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const ofWords = words.slice(1).flatMap((word) => lettersOf(word)[0] ?? []);
  return [...ofWords, ...others.map((each) => each.toLowerCase())].map((each) => `${first}${each}`);
}

/** Its letters and digits, or whatever it has where it has none. */
function lettersOf(name: string): string[] {
  const all = [...new Intl.Segmenter().segment(oneLine(name))].map(({ segment }) => segment.toUpperCase());
  const letters = all.filter((each) => /[\p{L}\p{N}]/u.test(each));
  return letters.length > 0 ? letters : all;
}
