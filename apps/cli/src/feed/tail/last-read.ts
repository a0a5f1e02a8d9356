import type { Session } from "@merkle/wire";
import { type BrokerClient, createBrokerClient } from "../../broker/broker-client.js";
import { actingIn, readingFrom } from "../../identity/acting.js";
import type { Config } from "../../settings/config.js";

interface Reading {
  readonly broker: BrokerClient;
  readonly session: Session;
  readonly config: Config;
}

/** How far the person of this home has read in a session; in a launched agent's shell, how far its team has acknowledged. */
export async function readLastRead({ broker, session, config }: Reading): Promise<number> {
  const acting = { broker, config };
  const reader = isAgentShell(config) ? await actingIn(session, acting) : await readingFrom(acting);
  const { last_read } = await reader.call("get_session", { session_id: session.session_id });
  return last_read ?? 0;
}

const lastWordMs = 2_000;

/**
 * Notes what the person of this home reads. An agent's mail is never acknowledged from its shell: it would not come to the
 * agent any more (CLI-34).
 */
export function markAsRead({ broker, session, config }: Reading): ReadMarker | undefined {
  if (isAgentShell(config)) return undefined;
  // Goes on after Ctrl+C, for what was printed before it; but not for long.
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
  /** Everything up to this message has been printed. */
  printed(sequence: number): void;
  /** Says the last of it, and resolves when it is said or cannot be. */
  finish(): Promise<void>;
}

const onceInMs = 500;

/**
 * Tells the broker how far a person has read: at most twice a second, and at the end. One that fails is made up for by the
 * next; only the last failure matters, since what is not marked is shown again.
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
