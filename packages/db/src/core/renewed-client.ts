import type postgres from "postgres";
import { type ConnectionTarget, connectPool, type PoolOptions } from "./connection.js";

/** A database client that replaces its connection pool as soon as one of the pool's connections is lost. */
export interface RenewedClient {
  /**
   * A client that sends each statement to the current pool. The object stays the same when the pool is
   * replaced, so callers can store it. Only the callback of `ask` sees the pool itself.
   */
  readonly sql: postgres.Sql;
  /**
   * Runs a query that the server answers or cancels within its own limits (DB-10). If there is no reply for
   * longer than these limits, the server or the network must be down, so the client replaces its pool.
   * Otherwise a connection that neither fails nor replies would delay later statements by minutes. A server
   * that accepts and immediately closes connections would make the driver retry forever.
   *
   * @throws an error that `isConnectionLost` recognises, if there was no reply
   */
  ask<Answer>(question: (client: postgres.Sql) => Promise<Answer>): Promise<Answer>;
  /** @param graceS - how many seconds running statements may still take (default: 5) */
  end(graceS?: number): Promise<void>;
}

/** One second more than the server's statement timeout, so that the server's own error arrives first. */
const silentMsMax = 6_000;

/**
 * Creates a client that replaces its pool when it loses a connection. When a connection breaks, the driver
 * (postgres 3.4) keeps unsent bytes and sends them before the next connection's greeting, so that connection
 * stalls. Once a pool has lost a connection, even one closed because of its age, it finishes its running
 * statements and gets no new ones.
 *
 * @param onLost - called after a pool has been replaced
 * @param onConnect - called with each new pool, before its first statement
 */
export function renewClient(
  target: ConnectionTarget,
  max: number,
  {
    onLost,
    onConnect,
    ...options
  }: Pick<PoolOptions, "keepOpen" | "plans" | "onNotified"> & {
    onLost?: () => void;
    onConnect?: (pool: postgres.Sql) => void;
  } = {},
): RenewedClient {
  const retired = new Set<postgres.Sql>();
  let hasEnded = false;
  let current: postgres.Sql | null = null;

  function connect(): postgres.Sql {
    const client = connectPool(target, max, {
      ...options,
      onClose() {
        if (current === client) retire(client);
      },
    });
    // A client opened after `end` by a late caller is closed immediately. Otherwise no one would ever close
    // it.
    if (hasEnded) void client.end({ timeout: 0 });
    onConnect?.(client);
    return client;
  }

  function useCurrent(): postgres.Sql {
    current ??= connect();
    return current;
  }

  function retire(client: postgres.Sql): void {
    current = null;
    if (hasEnded) return;
    retired.add(client);
    onLost?.();
    // Waits until the driver's close handler has returned. Statements on the pool's other connections may
    // still finish.
    setImmediate(() => void client.end({ timeout: 1 }).finally(() => retired.delete(client)));
  }

  return {
    sql: forwardTo(useCurrent),
    async ask(question) {
      const client = useCurrent();
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(silentDatabase());
          if (current === client) retire(client);
        }, silentMsMax);
      });
      return Promise.race([question(client), silence]).finally(() => clearTimeout(timer));
    },
    async end(graceS = 5) {
      hasEnded = true;
      await Promise.all([
        current?.end({ timeout: graceS }),
        ...[...retired].map((client) => client.end({ timeout: 0 })),
      ]);
    },
  };
}

/** Returns a client that forwards each use to the client that `target` returns at that moment. */
function forwardTo(target: () => postgres.Sql): postgres.Sql {
  // A proxy is callable as a tagged template only if its target is callable.
  const callable: object = () => undefined;
  return new Proxy(callable, {
    apply: (_callable, self, args) => Reflect.apply(target(), self, args),
    get: (_callable, property) => Reflect.get(target(), property),
  }) as postgres.Sql;
}

function silentDatabase(): Error {
  return Object.assign(new Error(`The database did not respond within ${silentMsMax} ms.`), {
    code: "ETIMEDOUT",
  });
}
