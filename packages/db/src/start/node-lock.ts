import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionTarget } from "../core/connection.js";
import { renewClient } from "../core/renewed-client.js";

/**
 * Says that this broker is the only node on its database, or, shared, that no node is there that would have to be the only one.
 * The server forgets the lock with the connection that took it.
 */
export interface NodeLock {
  /** Resolves at once while the lock is held; after its connection was lost, when it is held again. */
  whenHeld(): Promise<void>;
  /** Whether it is held at this moment, as far as is known. */
  readonly isHeld: boolean;
  /** Asks the server for it: a connection that was cut without a word is noticed by nothing else. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const singleNode = 7_423_002;

/** The server may take a moment to notice that whoever held the lock is gone; so may who lost it. */
export const lockNoticedMsMax = 2_000;

const retryEveryMs = 50;

/**
 * Takes the lock of a broker that is alone on a database, or returns null when another one has it. Taken `shared`, as nodes do
 * that a bus connects, it lets those in that share it.
 *
 * @param onLost - told when the lock was lost, and is being asked for again
 * @param onTaken - told once when another broker holds it then: this one must stop
 */
export async function holdNodeLock(
  target: ConnectionTarget,
  { shared = false, onLost, onTaken }: { shared?: boolean; onLost?: () => void; onTaken?: () => void } = {},
): Promise<NodeLock | null> {
  const released = new AbortController();
  let regaining: Promise<void> | null = null;
  const client = renewClient(target, 1, { keepOpen: true, onLost: regain });

  /** Taken by this very connection already, it is not taken again: it would have to be released as often. */
  async function take(): Promise<boolean> {
    const [row] = await client.ask(
      (sql) => sql`
        SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                       AND ((classid::bigint << 32) | objid::bigint) = ${singleNode} AND granted)
            OR CASE WHEN ${shared} THEN pg_try_advisory_lock_shared(${singleNode})
                    ELSE pg_try_advisory_lock(${singleNode}) END AS held`,
    );
    return row?.["held"] === true;
  }

  function regain(): void {
    if (regaining !== null) return;
    onLost?.();
    regaining = takeAgain().then(() => {
      regaining = null;
    });
    // Whoever waits is told by whenHeld; where nobody waits, being released in between is no error.
    regaining.catch(() => undefined);
  }

  /** Resolves when it is held again, and never when it is not. */
  async function takeAgain(): Promise<void> {
    let refusedSince: number | null = null;
    for (;;) {
      const held = await take().catch(() => null);
      if (held) return;
      if (held === false) refusedSince ??= performance.now();
      if (refusedSince !== null && performance.now() - refusedSince > lockNoticedMsMax) break;
      await delay(retryEveryMs, undefined, { signal: released.signal });
    }
    onTaken?.();
    await new Promise(() => undefined);
  }

  async function release(): Promise<void> {
    released.abort();
    // Whatever it still asks is about a lock that is given up.
    await client.end(1);
  }

  const held = await take().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (!held) {
    await release();
    return null;
  }
  return {
    whenHeld: () => regaining ?? Promise.resolve(),
    get isHeld() {
      return regaining === null;
    },
    async check() {
      if (regaining === null && !(await take().catch(() => false))) regain();
    },
    release,
  };
}
