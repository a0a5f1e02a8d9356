/** Returns a count reported by another program, or 0 if it is not a positive integer. */
export function parseCount(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
