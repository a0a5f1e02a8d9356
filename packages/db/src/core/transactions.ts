import type { QueryPromise } from "drizzle-orm";
import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import {
  type ConnectionTarget,
  connectionLost,
  connectPool,
  type PoolOptions,
  refuseOnceLost,
} from "./connection.js";
import * as schema from "./schema.js";

/** The connection of a query: the pool, or a transaction. */
export type Queryable = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;
/** The connection of a query that is only one part of a change: a transaction. */
export type Transaction = Queryable;

/** Runs transactions, a few at a time, each on a connection of its own. */
export interface Transactions {
  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  runInSteps<Opening, Result>(steps: TransactionSteps<Opening, Result>): Promise<Result>;
  end(): Promise<void>;
}

/** The work of a transaction; what is first and what is last goes to the server together with BEGIN and COMMIT. */
export interface TransactionSteps<Opening, Result> {
  first(tx: Transaction): Promise<Opening>;
  work(tx: Transaction, opening: Opening): Promise<Result>;
  /** One statement, of which nobody needs an answer: when it fails, nothing is committed. */
  last(tx: Transaction, result: Result): Statement | null;
}

/** A query that nobody awaits. */
interface Statement {
  toSQL(): { sql: string; params: unknown[] };
}

/**
 * The driver's own transactions (postgres 3.4) send ROLLBACK over a connection that is gone, which ends the process; and
 * its clients would run the rest of a broken transaction on a new connection, outside of it. Here each transaction has a
 * client with one connection, and once that is lost nothing more is sent.
 */
export function startTransactions(target: ConnectionTarget, max: number): Transactions {
  const lanes = startLanes(target, max);

  function runInSteps<Opening, Result>(steps: TransactionSteps<Opening, Result>): Promise<Result> {
    return lanes.lend(async (lane) => {
      try {
        const begun = lane.client.unsafe("BEGIN").execute();
        // On a connection that is not there yet the driver would go on without a BEGIN that failed with the first attempt.
        if (!lane.connected) await begun;
        const [, opening] = await Promise.all([begun, steps.first(lane.db)]);
        lane.connected = true;
        const result = await steps.work(lane.db, opening);
        const last = steps.last(lane.db, result)?.toSQL();
        if (lane.lost) throw connectionLost();
        await Promise.all([
          last && lane.client.unsafe(last.sql, last.params as postgres.ParameterOrJSON<never>[]).execute(),
          lane.client.unsafe("COMMIT").execute(),
        ]);
        return result;
      } catch (error) {
        // A connection that is lost has rolled back by itself.
        if (!lane.lost) await lane.client.unsafe("ROLLBACK").catch(lane.discard);
        throw error;
      }
    });
  }

  return {
    run: (work) => runInSteps({ first: async () => null, work, last: () => null }),
    runInSteps,
    end: lanes.end,
  };
}

/**
 * Sends queries right after one another, for one way to the server instead of one for each. They are done in this order, and
 * each sees what was committed while the one before it waited.
 */
export function sendTogether<Queries extends readonly QueryPromise<unknown>[]>(
  ...queries: Queries
): Promise<{ [Place in keyof Queries]: Awaited<Queries[Place]> }>;
export function sendTogether(...queries: readonly QueryPromise<unknown>[]): Promise<unknown[]> {
  return Promise.all(queries.map((query) => query.then(undefined)));
}

/** A client with one connection. Once that is lost, queries of `db` are refused and nothing is sent. */
export interface Lane {
  readonly client: postgres.Sql;
  readonly db: Queryable;
  /** Whether a transaction has begun on its connection before. */
  connected: boolean;
  /** Whether its connection has closed. */
  readonly lost: boolean;
  /** Closes it; it is lent to nobody any more. */
  discard(): void;
}

/** Lends connections, a few at a time, each to one piece of work until that has ended. */
export interface Lanes {
  lend<Result>(work: (lane: Lane) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

export function startLanes(
  target: ConnectionTarget,
  max: number,
  options: Pick<PoolOptions, "plansAnew"> = {},
): Lanes {
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
    let lost = false;
    const client = connectPool(target, 1, { ...options, keepOpen: true, onClose: discard });
    const lane: Lane = {
      client,
      db: drizzle(
        refuseOnceLost(client, () => lost),
        { schema },
      ),
      connected: false,
      get lost() {
        return lost;
      },
      discard,
    };
    lanes.add(lane);
    return lane;

    function discard(): void {
      if (lost) return;
      lost = true;
      lanes.delete(lane);
      const place = idle.indexOf(lane);
      if (place >= 0) idle.splice(place, 1);
      setImmediate(() => void client.end({ timeout: 1 }));
    }
  }

  function release(lane: Lane): void {
    const next = waiting.shift();
    const free = lane.lost ? null : lane;
    if (next) next(free ?? openLane());
    else if (free) idle.push(free);
  }

  return {
    async lend(work) {
      const lane = await take();
      try {
        return await work(lane);
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
