import type { Session } from "@merkle/wire";
import { type BrokerClient, createBrokerClient } from "../../broker/broker-client.js";
import { actingIn, readingFrom } from "../../identity/acting.js";
import type { Config } from "../../settings/config.js";

interface Reading {
  readonly broker: BrokerClient;
  readonly session: Session;
  readonly config: Config;
}

/**
 * Reads the last sequence that this home's person has read in a session. In an agent's shell, reads the last
 * one that its team has acknowledged.
 */
export async function readLastRead({ broker, session, config }: Reading): Promise<number> {
  const acting = { broker, config };
  const reader = isAgentShell(config) ? await actingIn(session, acting) : await readingFrom(acting);
  const { last_read } = await reader.call("get_session", { session_id: session.session_id });
  return last_read ?? 0;
}

const lastWordMs = 2_000;

/**
 * Marks messages as read by this home's person. Never acknowledges messages from an agent's shell, because
 * the agent would not receive them any longer (CLI-34).
 */
export function markAsRead({ broker, session, config }: Reading): ReadMarker | undefined {
  if (isAgentShell(config)) return undefined;
  // Continues briefly after Ctrl+C, to mark messages that were printed before it.
  const patience = new AbortController();
  const own = createBrokerClient(broker.address, patience.signal);
  const marker = startMarkingRead(async (cursor) => {
    const person = await actingIn(session, { broker: own, config });
    await person.call("ack", { session_id: session.session_id, cursor });
  });
  return {
    printed: marker.printed,
    async finish() {
      const timer = setTimeout(() => patience.abort(), lastWordMs);
      await marker.finish().finally(() => clearTimeout(timer));
    },
  };
}

function isAgentShell({ session, team }: Config): boolean {
  return session !== undefined && team !== undefined;
}

export interface ReadMarker {
  /** Records that everything up to this message has been printed. */
  printed(sequence: number): void;
  /** Sends the last position. Rejects if that fails. */
  finish(): Promise<void>;
}

const onceInMs = 500;

/**
 * Reports the read position to the broker at most twice a second, and at the end. A failed report is
 * corrected by the next one. Only the last failure matters, because unmarked messages are shown again.
 */
function startMarkingRead(acknowledge: (cursor: number) => Promise<unknown>): ReadMarker {
  let printed = 0;
  let marked = 0;
  let timer: NodeJS.Timeout | undefined;
  let marking: Promise<void> = Promise.resolve();

  function mark(): Promise<void> {
    timer = undefined;
    marking = marking.then(async () => {
      if (printed <= marked) return;
      const cursor = printed;
      await acknowledge(cursor);
      marked = cursor;
    });
    return marking;
  }

  return {
    printed(sequence) {
      printed = sequence;
      timer ??= setTimeout(() => {
        mark().catch(() => {
          marking = Promise.resolve();
        });
      }, onceInMs);
    },
    async finish() {
      clearTimeout(timer);
      await marking.catch(() => undefined);
      marking = Promise.resolve();
      await mark();
    },
  };
}
