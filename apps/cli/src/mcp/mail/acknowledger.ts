import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";
import type { DeliveryRecord } from "./delivery-record.js";

/**
 * Reports to the broker which messages the models have received. Reports in the background, because the
 * messages are already in this process and no caller has to wait.
 */
export interface Acknowledger {
  /** Acknowledges after a short delay. A wait that starts before then acknowledges too. */
  schedule(team: PeerSession): void;
  /** Sends all pending acknowledgements without waiting for replies. */
  flush(): void;
}

const delayMs = 200;
/**
 * How long to wait for a message to appear in the client's record. Clients record messages within a fraction
 * of a second. A message still missing after this time is recorded in an unsupported format.
 */
const recordWithinMs = 5_000;

/**
 * Acknowledges messages once there is evidence that the model received them and the client's record contains
 * them (WAKE-4). If a client is killed before that, it has lost the messages, and they must be offered again.
 *
 * If there is no record, or the messages do not appear in it in time, the evidence suffices.
 */
export function createAcknowledger(
  link: BrokerLink,
  { readTranscript }: Pick<DeliveryRecord, "readTranscript">,
): Acknowledger {
  const due = new Map<PeerSession, ReturnType<typeof setTimeout>>();

  function plan(team: PeerSession, unrecordedSince: number): void {
    const timer = setTimeout(() => void settle(team, unrecordedSince), delayMs);
    timer.unref();
    due.set(team, timer);
  }

  async function settle(team: PeerSession, unrecordedSince: number): Promise<void> {
    const isLate = Date.now() - unrecordedSince > recordWithinMs;
    if (team.mail.isUnrecorded) {
      const transcript = isLate ? undefined : await readTranscript();
      team.mail.record(transcript?.contains);
    }
    acknowledge(team);
    if (team.mail.isUnrecorded && team.state.membership === "member") plan(team, unrecordedSince);
  }

  function acknowledge(team: PeerSession): void {
    clearTimeout(due.get(team));
    due.delete(team);
    const cursor = team.mail.ackCursor;
    const { membership, acked = 0, epoch } = team.state;
    if (membership !== "member" || cursor <= acked) return;
    const { sessionId: session_id, credential: team_id } = team;
    link.call("ack", { session_id, team_id, cursor }).then(
      () => team.advance({ type: "acknowledged", cursor, epoch }),
      // A failed acknowledgement can be ignored: the next acknowledgement, the next wait or a reconnect
      // covers it.
      () => undefined,
    );
  }

  return {
    schedule(team) {
      if (due.has(team) || !(team.mail.isUnrecorded || team.mail.ackCursor > (team.state.acked ?? 0))) return;
      plan(team, Date.now());
    },
    flush() {
      for (const team of [...due.keys()]) acknowledge(team);
    },
  };
}
