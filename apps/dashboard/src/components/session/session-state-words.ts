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
  return `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}
