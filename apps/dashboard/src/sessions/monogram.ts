/** Returns two letters for a name: the initials of its first two words, or the first two letters of its only word. */
export function toMonogram(name: string): string {
  const [first, second] = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu) ?? [];
  if (first === undefined) return "?";
  const letters = second === undefined ? [...first].slice(0, 2) : [findInitial(first), findInitial(second)];
  return letters.join("").toUpperCase();
}

function findInitial(word: string): string {
  return [...word][0] ?? "";
}
