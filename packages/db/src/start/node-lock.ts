import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionTarget } from "../core/connection.js";
import { renewClient } from "../core/renewed-client.js";

/**
 * A lock that makes this broker the only node on its database. A shared lock excludes only brokers that must
 * be the only node. The server releases the lock when its connection closes.
 */
export interface NodeLock {
  /**
   * Resolves immediately if the lock is held. After the lock has been lost, resolves once it is held again.
   */
  waitUntilHeld(): Promise<void>;
  /** True if this node holds the lock, as far as it knows. */
  readonly isHeld: boolean;
  /** Queries the server. This is the only way to notice a connection that was cut without notice. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const singleNode = 7_423_002;

/**
 * How long the server may take to notice that the lock's holder has disconnected. The holder may take equally
 * long to notice the loss.
 */
export const lockNoticedMsMax = 2_000;

const retryEveryMs = 50;

/**
 * Takes the lock that makes this broker the only node on a database. Returns null if another broker has the
 * lock. With `shared`, several brokers can hold the lock. Nodes that are connected by a bus use `shared`.
 *
 * @param onLost - called when the lock has been lost; by then, attempts to take it again have begun
 * @param onTaken - called once if another broker has taken the lock in the meantime, so that this broker must
 * stop
 */
export async function acquireNodeLock(
  target: ConnectionTarget,
  { shared = false, onLost, onTaken }: { shared?: boolean; onLost?: () => void; onTaken?: () => void } = {},
): Promise<NodeLock | null> {
  const released = new AbortController();
  let regaining: Promise<void> | null = null;
  const client = renewClient(target, 1, { keepOpen: true, onLost: regain });

  /**
   * Takes the lock, unless this connection already holds it. A lock that was taken twice would have to be
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
    // Callers of `whenHeld` get this error. Without callers, `release` during the attempt must not cause an
    // unhandled rejection.
    regaining.catch(() => undefined);
  }

  /** Resolves when this node holds the lock again. Never resolves if another broker has taken the lock. */
  async function takeAgain(): Promise<void> {
    let refusedSince: number | null = null;
    for (;;) {
      const isHeld = await take().catch(() => null);
      if (isHeld) return;
      if (isHeld === false) refusedSince ??= performance.now();
      if (refusedSince !== null && performance.now() - refusedSince > lockNoticedMsMax) break;
      await delay(retryEveryMs, undefined, { signal: released.signal });
    }
    onTaken?.();
    await new Promise(() => undefined);
  }

  async function release(): Promise<void> {
    released.abort();
    // Closing the client rejects its pending queries, but those errors no longer matter.
    await client.end(1);
  }

  const isHeld = await take().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (!isHeld) {
    await release();
    return null;
  }
  return {
    waitUntilHeld: () => regaining ?? Promise.resolve(),
    get isHeld() {
      return regaining === null;
    },
    async check() {
      if (regaining === null && !(await take().catch(() => false))) regain();
    },
    release,
  };
}
