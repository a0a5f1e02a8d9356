/** The time of day here, to the second. */
export function describeClock(at: Date): string {
  return at.toLocaleTimeString("en-GB");
}
