/**
 * Splits text into lines that include their line breaks, so that a missing line break at the end counts as a
 * difference.
 */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * Counts the lines that two texts share at the top, and the remaining lines that they share at the bottom.
 */
export function countCommonEnds(
  from: readonly string[],
  to: readonly string[],
): { above: number; below: number } {
  const shorter = Math.min(from.length, to.length);
  let above = 0;
  while (above < shorter && from[above] === to[above]) above++;
  let below = 0;
  while (below < shorter - above && from.at(-1 - below) === to.at(-1 - below)) below++;
  return { above, below };
}
