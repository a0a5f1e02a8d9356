import type postgres from "postgres";
import { type ConnectionTarget, connectPool, type PoolOptions } from "./connection.js";

/** A client of the database that gets a new pool as soon as one of its connections is lost. */
export interface RenewedClient {
  /**
   * Sends each statement to the pool of that moment. It stays the same object, so callers may keep it: the pool itself is
   * given to nobody, except to a question of `ask`.
   */
  readonly sql: postgres.Sql;
  /**
   * Asks it something that the server answers or ends within its own limits (DB-10). When nothing comes for longer than
   * that, the server or the network before it is gone, and the client is replaced: a connection that neither breaks nor
   * answers would hold up what comes next for minutes, and where connections are accepted and closed again at once, the
   * driver tries for ever.
   *
   * @throws an error that `isConnectionLost` knows, when no answer came
   */
  ask<Answer>(question: (client: postgres.Sql) => Promise<Answer>): Promise<Answer>;
  /** @param graceS - how long what it still does may take; 5 s unless told */
  end(graceS?: number): Promise<void>;
}

/** A second more than the server allows a statement, so that its own answer comes first. */
const silentMsMax = 6_000;

/**
 * The driver (postgres 3.4) keeps bytes that it had not sent when a connection broke, and sends them before the greeting
 * of the next one, which then stalls. A pool that has lost a connection, even one that the driver closed because of its
 * age, is therefore left to finish what it does, and not used for anything new.
 *
 * @param onLost - called when a pool was replaced because of that
 * @param onConnect - called with each new pool, before its first statement
 */
export function renewClient(
  target: ConnectionTarget,
  max: number,
  {
    onLost,
    onConnect,
    ...options
  }: Pick<PoolOptions, "keepOpen" | "plansAnew" | "onNotified"> & {
    onLost?: () => void;
    onConnect?: (pool: postgres.Sql) => void;
  } = {},
): RenewedClient {
  const retired = new Set<postgres.Sql>();
  let ended = false;
  let current: postgres.Sql | null = null;

  function connect(): postgres.Sql {
    const client = connectPool(target, max, {
      ...options,
      onClose() {
        if (current === client) retire(client);
      },
    });
    // Whoever comes too late must not open a connection that nobody closes.
    if (ended) void client.end({ timeout: 0 });
    onConnect?.(client);
    return client;
  }

  function useCurrent(): postgres.Sql {
    current ??= connect();
    return current;
  }

  function retire(client: postgres.Sql): void {
    current = null;
    if (ended) return;
    retired.add(client);
    onLost?.();
    // Not in the midst of closing; and what its other connections are doing may end as it can.
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
      ended = true;
      await Promise.all([
        current?.end({ timeout: graceS }),
        ...[...retired].map((client) => client.end({ timeout: 0 })),
      ]);
    },
  };
}

/** A client whose every use is one of the client that `target` returns at that time. */
function forwardTo(target: () => postgres.Sql): postgres.Sql {
  // A proxy can be called as a tagged template only if what it stands for can be called.
  const callable: object = () => undefined;
  return new Proxy(callable, {
    apply: (_callable, self, given) => Reflect.apply(target(), self, given),
    get: (_callable, property) => Reflect.get(target(), property),
  }) as postgres.Sql;
}

function silentDatabase(): Error {
  return Object.assign(new Error(`The database did not respond within ${silentMsMax} ms.`), {
    code: "ETIMEDOUT",
  });
}
