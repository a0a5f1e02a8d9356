import type postgres from "postgres";
import { type ConnectionTarget, connectPool, type PoolOptions } from "./connection.js";

/** A client of the database that is replaced as soon as one of its connections is lost. */
export interface RenewedClient {
  /** The client to use now; to be asked for each time. */
  readonly current: postgres.Sql;
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
 * of the next one, which then stalls. A client that has lost a connection is therefore left to finish what it does, and
 * not used for anything new.
 *
 * @param onLost - told when a client was replaced because of that
 */
export function renewClient(
  target: ConnectionTarget,
  max: number,
  {
    onLost,
    ...options
  }: Pick<PoolOptions, "keepOpen" | "plansAnew" | "onNotified"> & { onLost?: () => void } = {},
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
    return client;
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
    get current() {
      current ??= connect();
      return current;
    },
    async ask(question) {
      current ??= connect();
      const client = current;
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

function silentDatabase(): Error {
  return Object.assign(new Error(`The database gave no answer within ${silentMsMax} ms.`), {
    code: "ETIMEDOUT",
  });
}
