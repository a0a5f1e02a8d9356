/** Returns two letters for a name: the initials of its first two words, or the first two letters of its only word. */
export function monogramOf(name: string): string {
  const [first, second] = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu) ?? [];
  if (first === undefined) return "?";
  const letters = second === undefined ? [...first].slice(0, 2) : [initialOf(first), initialOf(second)];
  return letters.join("").toUpperCase();
}

function initialOf(word: string): string {
  return [...word][0] ?? "";
}
