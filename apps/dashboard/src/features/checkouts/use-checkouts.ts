import type { ReportedCheckout } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";

const none: readonly ReportedCheckout[] = [];

/** Returns the reported checkouts of a session, latest first. Empty until they are loaded. */
export function useCheckouts(session_id: string): readonly ReportedCheckout[] {
  const { data } = useRead("list_checkouts", { session_id }, { on: ["roster", "tasks"] });
  return data?.checkouts ?? none;
}

/** Returns the reported checkouts of all open sessions, latest first. Empty until they are loaded. */
export function useAllCheckouts(): readonly ReportedCheckout[] {
  const { data, refresh } = useRead("list_checkouts", {});
  // The broker announces a report only to those that follow its session.
  useKeptFresh(refresh);
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
