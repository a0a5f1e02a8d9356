import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { type ConnectionTarget, connectionLost, connectPool, refuseOnceLost } from "./connection.js";
import * as schema from "./schema.js";

/** The connection of a query: the pool, or a transaction. */
export type Queryable = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;
/** The connection of a query that is only one part of a change: a transaction. */
export type Transaction = Queryable;

/** Runs transactions, a few at a time, each on a connection of its own. */
export interface Transactions {
  run<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

interface Lane {
  readonly client: postgres.Sql;
  readonly db: Queryable;
  /** Set in the moment in which its connection closes. */
  lost: boolean;
}

/**
 * The driver's own transactions (postgres 3.4) send ROLLBACK over a connection that is gone, which ends the process; and
 * its clients would run the rest of a broken transaction on a new connection, outside of it. Here each transaction has a
 * client with one connection, and once that is lost nothing more is sent.
 */
export function startTransactions(target: ConnectionTarget, max: number): Transactions {
  const idle: Lane[] = [];
  const waiting: ((lane: Lane) => void)[] = [];
  const lanes = new Set<Lane>();
  let ended = false;

  async function take(): Promise<Lane> {
    // Whoever comes too late must not open a connection that nobody closes.
    if (ended) throw connectionLost();
    const lane = idle.pop();
    if (lane) return lane;
    if (lanes.size < max) return openLane();
    return new Promise((resolve) => waiting.push(resolve));
  }

  function openLane(): Lane {
    const client = connectPool(target, 1, { keepOpen: true, onClose: () => discard(lane) });
    const lane: Lane = {
      client,
      db: drizzle(
        refuseOnceLost(client, () => lane.lost),
        { schema },
      ),
      lost: false,
    };
    lanes.add(lane);
    return lane;
  }

  function discard(lane: Lane): void {
    if (lane.lost) return;
    lane.lost = true;
    lanes.delete(lane);
    const place = idle.indexOf(lane);
    if (place >= 0) idle.splice(place, 1);
    setImmediate(() => void lane.client.end({ timeout: 1 }));
  }

  function release(lane: Lane): void {
    const next = waiting.shift();
    const free = lane.lost ? null : lane;
    if (next) next(free ?? openLane());
    else if (free) idle.push(free);
  }

  return {
    async run(work) {
      const lane = await take();
      try {
        await lane.client.unsafe("BEGIN");
        const result = await work(lane.db);
        if (lane.lost) throw connectionLost();
        await lane.client.unsafe("COMMIT");
        return result;
      } catch (error) {
        // A connection that is lost has rolled back by itself.
        if (!lane.lost) await lane.client.unsafe("ROLLBACK").catch(() => discard(lane));
        throw error;
      } finally {
        release(lane);
      }
    },
    async end() {
      ended = true;
      await Promise.all([...lanes].map((lane) => lane.client.end({ timeout: 5 })));
    },
  };
}
