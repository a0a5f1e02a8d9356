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
 * Returns the sequence up to which this home's person has read a session. In an agent's shell, returns the
 * sequence up to which the agent's team has acknowledged messages.
 */
export async function readLastRead({ broker, session, config }: Reading): Promise<number> {
  const acting = { broker, config };
  const reader = isAgentShell(config) ? await actingIn(session, acting) : await readingFrom(acting);
  const { last_read } = await reader.call("get_session", { session_id: session.session_id });
  return last_read ?? 0;
}

const lastWordMs = 2_000;

/**
 * Marks messages as read by this home's person. Does nothing in an agent's shell, because acknowledged
 * messages would no longer be delivered to the agent (CLI-34).
 */
export function markAsRead({ broker, session, config }: Reading): ReadMarker | undefined {
  if (isAgentShell(config)) return undefined;
  // Allows a short time after Ctrl+C to mark the messages that were printed before it.
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
  /** Sends the last position to the broker. Rejects if that fails. */
  finish(): Promise<void>;
}

const onceInMs = 500;

/**
 * Reports the read position to the broker at most twice a second, and at the end. Each report replaces
 * earlier ones that failed, so only a failure of the last report matters: its messages are shown again.
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
