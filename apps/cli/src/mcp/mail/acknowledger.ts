import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";

/** Tells the broker how far models have got, in the background: the messages are here, and nobody must wait for it. */
export interface Acknowledger {
  /** Shortly after: often a wait follows, which says the same. */
  soon(team: PeerSession): void;
  /** Says now what is still to be said, without waiting for answers. */
  flush(): void;
}

const soonMs = 200;

export function createAcknowledger(link: BrokerLink): Acknowledger {
  const due = new Map<PeerSession, ReturnType<typeof setTimeout>>();

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
      if (due.has(team) || team.mail.place <= team.acked) return;
      const timer = setTimeout(() => tell(team), soonMs);
      timer.unref();
      due.set(team, timer);
    },
    flush() {
      for (const team of [...due.keys()]) tell(team);
    },
  };
}
