/** Describes a peer that no message wakes, in replies, in the roster and on the page. */
export const beyondWakingText = "cannot be woken: reads at its next turn";

/**
 * Returns whether a peer is idle in a client that nothing can wake. Hooks deliver messages in a turn, but cannot start
 * one (VENDOR-6).
 *
 * @param wake - the wake paths that its client reports
 */
export function isBeyondWaking(wake: readonly string[], declared: string | null | undefined): boolean {
  return declared !== "working" && wake.length > 0 && wake.every((path) => path === "hooks");
}
