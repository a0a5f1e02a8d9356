/** Returns the known word that was probably meant, or undefined if no known word is close enough. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((each) => ({ each, distance: computeEditDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (!best) return undefined;
  // At least one letter must match. Otherwise a known word with a single letter would match any single
  // letter.
  const farthest = Math.min(Math.max(1, best.each.length * 0.4), best.each.length - 1);
  return best.distance <= farthest ? best.each : undefined;
}

/**
 * Counts how many letters must be added, removed, replaced, or swapped with a neighbour to get from one word
 * to the other.
 */
function computeEditDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const distanceAt = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const steps = [
        distanceAt(i - 1, j) + 1,
        distanceAt(i, j - 1) + 1,
        distanceAt(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      ];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps.push(distanceAt(i - 2, j - 2) + 1);
      rows[i]?.push(Math.min(...steps));
    }
  }
  return distanceAt(a.length, b.length);
}
