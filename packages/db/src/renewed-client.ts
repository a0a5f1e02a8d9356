import type postgres from "postgres";
import { type ConnectionTarget, connectPool } from "./connection.js";

/** A client of the database that is replaced as soon as one of its connections is lost. */
export interface RenewedClient {
  /** The client to use now; to be asked for each time. */
  readonly current: postgres.Sql;
  end(): Promise<void>;
}

/**
 * The driver (postgres 3.4) keeps bytes that it had not sent when a connection broke, and sends them before the greeting
 * of the next one, which then stalls. A client that has lost a connection is therefore left to finish what it does, and
 * not used for anything new.
 */
export function renewClient(
  target: ConnectionTarget,
  max: number,
  options: { keepOpen?: boolean } = {},
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
    return client;
  }

  function retire(client: postgres.Sql): void {
    current = null;
    if (ended) return;
    retired.add(client);
    // Not in the midst of closing; and what its other connections are doing may end as it can.
    setImmediate(() => void client.end({ timeout: 1 }).finally(() => retired.delete(client)));
  }

  return {
    get current() {
      current ??= connect();
      return current;
    },
    async end() {
      ended = true;
      await Promise.all([
        current?.end({ timeout: 5 }),
        ...[...retired].map((client) => client.end({ timeout: 0 })),
      ]);
    },
  };
}
