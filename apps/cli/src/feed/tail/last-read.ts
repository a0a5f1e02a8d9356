import type { Session } from "@merkle/wire";
import { type BrokerClient, createBrokerClient } from "../../broker/broker-client.js";
import { getReadingActor, getSessionActor } from "../../identity/actors.js";
import type { Config } from "../../settings/config.js";

interface LastReadOptions {
  readonly broker: BrokerClient;
  readonly session: Session;
  readonly config: Config;
}

/**
 * Returns the sequence up to which this home's person has read a session. In an agent's shell, returns the
 * sequence up to which the agent's team has acknowledged messages.
 */
export async function readLastRead({ broker, session, config }: LastReadOptions): Promise<number> {
  const context = { broker, config };
  const reader = isAgentShell(config)
    ? await getSessionActor(session, context)
    : await getReadingActor(context);
  const { last_read } = await reader.call("get_session", { session_id: session.session_id });
  return last_read ?? 0;
}

const finalMarkMs = 2_000;

/**
 * Marks messages as read by this home's person. Does nothing in an agent's shell, because acknowledged
 * messages would no longer be delivered to the agent (CLI-34).
 */
export function markAsRead({ broker, session, config }: LastReadOptions): ReadMarker | undefined {
  if (isAgentShell(config)) return undefined;
  // Allows a short time after Ctrl+C to mark the messages that were printed before it.
  const deadline = new AbortController();
  const client = createBrokerClient(broker.address, deadline.signal);
  const marker = startMarkingRead(async (cursor) => {
    const person = await getSessionActor(session, { broker: client, config });
    await person.call("ack", { session_id: session.session_id, cursor });
  });
  return {
    recordPrinted: marker.recordPrinted,
    async finish() {
      const timer = setTimeout(() => deadline.abort(), finalMarkMs);
      await marker.finish().finally(() => clearTimeout(timer));
    },
  };
}

function isAgentShell({ session, team }: Config): boolean {
  return session !== undefined && team !== undefined;
}

export interface ReadMarker {
  /** Records that everything up to this message has been printed. */
  recordPrinted(sequence: number): void;
  /** Sends the last position to the broker. Rejects if that fails. */
  finish(): Promise<void>;
}

const markIntervalMs = 500;

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
    recordPrinted(sequence) {
      printed = sequence;
      timer ??= setTimeout(() => {
        mark().catch(() => {
          marking = Promise.resolve();
        });
      }, markIntervalMs);
    },
    async finish() {
      clearTimeout(timer);
      await marking.catch(() => undefined);
      marking = Promise.resolve();
      await mark();
    },
  };
}
