import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";
import type { HandedOut } from "./handed-out.js";

/** Tells the broker how far models have got, in the background: the messages are here, and nobody must wait for it. */
export interface Acknowledger {
  /** Shortly after: often a wait follows, which says the same. */
  soon(team: PeerSession): void;
  /** Says now what is still to be said, without waiting for answers. */
  flush(): void;
}

const soonMs = 200;
/** Clients record within a fraction of a second. What is not found by then is recorded in a form that is not understood. */
const recordWithinMs = 5_000;

/**
 * Acknowledges messages that evidence shows the model to have, once the client's record of the conversation holds them: a client
 * that is killed before has lost them, and is offered them again when it goes on. Evidence is enough where there is no record, or
 * where it does not hold them after a while (WAKE-4).
 */
export function createAcknowledger(
  link: BrokerLink,
  { readTranscript }: Pick<HandedOut, "readTranscript">,
): Acknowledger {
  const due = new Map<PeerSession, ReturnType<typeof setTimeout>>();

  function plan(team: PeerSession, unrecordedSince: number): void {
    const timer = setTimeout(() => void settle(team, unrecordedSince), soonMs);
    timer.unref();
    due.set(team, timer);
  }

  async function settle(team: PeerSession, unrecordedSince: number): Promise<void> {
    const isLate = Date.now() - unrecordedSince > recordWithinMs;
    if (team.mail.isUnrecorded) {
      const transcript = isLate ? undefined : await readTranscript();
      team.mail.record(transcript?.holds);
    }
    tell(team);
    if (team.mail.isUnrecorded && !team.left && !team.replaced) plan(team, unrecordedSince);
  }

  function tell(team: PeerSession): void {
    clearTimeout(due.get(team));
    due.delete(team);
    const cursor = team.mail.place;
    if (team.left || team.replaced || cursor <= team.acked) return;
    const { sessionId: session_id, credential: team_id, epoch } = team;
    link.call("ack", { session_id, team_id, cursor }).then(
      () => {
        if (team.epoch === epoch) team.acked = Math.max(team.acked, cursor);
      },
      // The next one says it, too, or a wait, and else the next connection.
      () => undefined,
    );
  }

  return {
    soon(team) {
      if (due.has(team) || !(team.mail.isUnrecorded || team.mail.place > team.acked)) return;
      plan(team, Date.now());
    },
    flush() {
      for (const team of [...due.keys()]) tell(team);
    },
  };
}
