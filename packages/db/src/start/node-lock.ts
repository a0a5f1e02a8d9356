import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionTarget } from "../core/connection.js";
import { renewClient } from "../core/renewed-client.js";

/**
 * A lock that makes this broker the only node on its database. A shared lock only excludes brokers that must
 * be alone. The server releases the lock when its connection closes.
 */
export interface NodeLock {
  /**
   * Resolves immediately if the lock is held. After a lost connection, resolves once the lock is regained.
   */
  whenHeld(): Promise<void>;
  /** True if the lock is currently held, as far as this node knows. */
  readonly isHeld: boolean;
  /** Queries the server, the only way to notice a connection that was cut silently. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const singleNode = 7_423_002;

/**
 * How long the server may take to notice that the lock's holder has disconnected, and how long the holder may
 * take to notice the loss.
 */
export const lockNoticedMsMax = 2_000;

const retryEveryMs = 50;

/**
 * Takes the lock that makes this broker the only node on a database. Returns null if another broker has the
 * lock. With `shared`, used by nodes connected by a bus, other shared holders are allowed.
 *
 * @param onLost - called when the lock was lost and is being regained
 * @param onTaken - called once if another broker has taken the lock since, so this broker must stop
 */
export async function holdNodeLock(
  target: ConnectionTarget,
  { shared = false, onLost, onTaken }: { shared?: boolean; onLost?: () => void; onTaken?: () => void } = {},
): Promise<NodeLock | null> {
  const released = new AbortController();
  let regaining: Promise<void> | null = null;
  const client = renewClient(target, 1, { keepOpen: true, onLost: regain });

  /**
   * If this connection already holds the lock, it is not taken a second time, because it would have to be
   * released twice.
   */
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
    // Callers of whenHeld receive the error. If there are none, a release during the attempt is not an error.
    regaining.catch(() => undefined);
  }

  /** Resolves when the lock is regained. Never resolves if it is lost. */
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
    // Ignore errors of pending queries: their lock has been released.
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
