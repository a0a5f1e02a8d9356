/** The lines of a text, each with its line break, so that a missing one at the end is a difference like any other. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** How many lines at the top, and how many of the others at the bottom, two texts share. */
export function commonEnds(from: readonly string[], to: readonly string[]): { above: number; below: number } {
  const shorter = Math.min(from.length, to.length);
  let above = 0;
  while (above < shorter && from[above] === to[above]) above++;
  let below = 0;
  while (below < shorter - above && from.at(-1 - below) === to.at(-1 - below)) below++;
  return { above, below };
}
