import type { ReportedCheckout } from "@merkle/wire";
import { useRead } from "@/broker/use-read";

const none: readonly ReportedCheckout[] = [];

/** Returns the reported checkouts of a session, or of all open sessions, latest first. Empty until they are loaded. */
export function useCheckouts(session_id?: string): readonly ReportedCheckout[] {
  const input = session_id === undefined ? {} : { session_id };
  const { data } = useRead("list_checkouts", input, { on: ["roster", "tasks"] });
  return data?.checkouts ?? none;
}

/** Returns the latest checkout of a peer, or undefined if its side reports none. */
export function findPeerCheckout(
  checkouts: readonly ReportedCheckout[],
  { session_id, peer_id }: Pick<ReportedCheckout, "session_id" | "peer_id">,
): ReportedCheckout | undefined {
  return checkouts.find((each) => each.session_id === session_id && each.peer_id === peer_id);
}

/** Returns the latest checkout in which a task was worked on, or undefined if no one reported it. */
export function findTaskCheckout(
  checkouts: readonly ReportedCheckout[],
  { session_id, task }: { readonly session_id: string; readonly task: number },
): ReportedCheckout | undefined {
  return checkouts.find((each) => each.session_id === session_id && each.task === task);
}
