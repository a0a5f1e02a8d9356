import type { OutputOf } from "@merkle/wire";

export type SessionState = "CLOSED" | "HELD" | "QUIET" | "OPEN";

/** The one word for how a session stands; what stops it comes before what is merely slow about it. */
export function stateOf(
  session: Pick<OutputOf<"get_session">, "status" | "held" | "quiet_since">,
): SessionState {
  if (session.status === "closed") return "CLOSED";
  if (session.held !== null) return "HELD";
  return session.quiet_since === null ? "OPEN" : "QUIET";
}

export function describeCount(count: number, one: string, many = `${one}s`): string {
  // Only above do digits need to be set apart, and the means for that take some milliseconds to begin with.
  const digits = count < 1_000 ? String(count) : count.toLocaleString("en-GB");
  return `${digits} ${count === 1 ? one : many}`;
}
