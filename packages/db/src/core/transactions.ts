import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type ConnectionTarget, connectionLost, connectPool, type PoolOptions } from "./connection.js";
import type * as schema from "./schema.js";

/** A connection for queries: the pool or a transaction. */
export type Queryable = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;
/** A connection for queries that must be part of a transaction. */
export type Transaction = Queryable;

/** Runs transactions, a limited number at a time, each on a separate connection. */
export interface TransactionRunner {
  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/**
 * Starts a runner of transactions that sends BEGIN and COMMIT itself. The driver's own transactions (postgres
 * 3.4) send ROLLBACK over a lost connection, which ends the process.
 */
export function startTransactions(target: ConnectionTarget, max: number): TransactionRunner {
  const lanes = startLanes(target, max);
  return {
    run: (work) =>
      lanes.lend(async (lane) => {
        try {
          await lane.send("BEGIN");
          const result = await work(lane.db).finally(lane.closeDb);
          await lane.send("COMMIT");
          return result;
        } catch (error) {
          // When a connection is lost, the server rolls back automatically.
          if (!lane.isLost) await lane.send("ROLLBACK").catch(lane.discard);
          throw error;
        }
      }),
    end: lanes.end,
  };
}

/**
 * A connection that is lent to one piece of work. It sends a statement only after the reply to the previous
 * one, and sends nothing once the connection is lost. The driver would queue statements while it prepares
 * one, and could send those queued statements over a new connection, outside the transaction.
 */
export interface Lane {
  /** Runs queries on this connection. */
  readonly db: Queryable;
  /**
   * Makes `db` refuse further queries. Such queries come from a parallel branch of the work that continues
   * after another branch has failed.
   */
  closeDb(): void;
  send(statement: "BEGIN" | "COMMIT" | "ROLLBACK"): Promise<void>;
  /** True if the connection was closed or must not be used again. */
  readonly isLost: boolean;
  /** Closes the connection, so that it is not lent again. */
  discard(): void;
}

/** Lends a limited number of connections, each to one piece of work at a time. */
export interface Lanes {
  lend<Result>(work: (lane: Lane) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

export function startLanes(
  target: ConnectionTarget,
  max: number,
  options: Pick<PoolOptions, "plans"> = {},
): Lanes {
  const idle: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  const connections = new Set<Connection>();
  let hasEnded = false;

  async function take(): Promise<Connection> {
    // Refuses late callers after `end`, because a connection opened for them would never be closed.
    if (hasEnded) throw connectionLost();
    const connection = idle.pop();
    if (connection) return connection;
    if (connections.size < max) return open();
    return new Promise((resolve) => waiting.push(resolve));
  }

  function open(): Connection {
    const connection = openConnection(target, options, () => {
      connections.delete(connection);
      const index = idle.indexOf(connection);
      if (index >= 0) idle.splice(index, 1);
    });
    connections.add(connection);
    return connection;
  }

  function release(connection: Connection): void {
    const next = waiting.shift();
    const free = connection.isLost ? null : connection;
    if (next) next(free ?? open());
    else if (free) idle.push(free);
  }

  return {
    async lend(work) {
      const connection = await take();
      const lane = toLane(connection);
      try {
        return await work(lane);
      } finally {
        lane.closeDb();
        release(connection);
      }
    },
    async end() {
      hasEnded = true;
      await Promise.all([...connections].map((connection) => connection.end()));
    },
  };
}

/** A connection that runs one statement at a time. */
interface Connection {
  readonly client: postgres.Sql;
  readonly isLost: boolean;
  /**
   * Sends a statement once all previous statements have been answered.
   *
   * @throws an error that `isConnectionLost` recognises, once the connection is lost
   */
  enqueue<Answer>(send: () => PromiseLike<Answer>): Promise<Answer>;
  discard(): void;
  end(): Promise<void>;
}

function openConnection(
  target: ConnectionTarget,
  options: Pick<PoolOptions, "plans">,
  onLost: () => void,
): Connection {
  const client = connectPool(target, 1, { ...options, keepOpen: true, onClose: discard });
  let isLost = false;
  let last: Promise<unknown> = Promise.resolve();

  function discard(): void {
    if (isLost) return;
    isLost = true;
    onLost();
    setImmediate(() => void client.end({ timeout: 1 }));
  }

  /**
   * Discards the connection after any failure other than an ordinary server error, because the state of the
   * driver and the server is then unknown.
   */
  function discardUnlessRefused(error: unknown): void {
    if (!(error instanceof postgres.PostgresError && error.severity === "ERROR")) discard();
  }

  return {
    client,
    get isLost() {
      return isLost;
    },
    enqueue(send) {
      const answer = last.then(() => {
        if (isLost) throw connectionLost();
        return send();
      });
      last = answer.catch(discardUnlessRefused);
      return answer;
    },
    discard,
    end: () => client.end({ timeout: 5 }),
  };
}

function toLane(connection: Connection): Lane {
  const { client, enqueue, discard } = connection;
  let isClosed = false;

  const unsafe = (text: string, parameters?: unknown[], options?: postgres.UnsafeQueryOptions) => {
    const query = client.unsafe(text, parameters as postgres.ParameterOrJSON<never>[], options);
    let answer: Promise<unknown> | undefined;
    const send = async () => {
      if (isClosed) throw new TypeError("This transaction has ended.");
      return enqueue(() => query);
    };
    // Contains only the members of the driver's queries that drizzle uses. Accessing any other member fails.
    const turn: PromiseLike<unknown> & { values(): unknown } = {
      values() {
        void query.values();
        return turn;
      },
      // biome-ignore lint/suspicious/noThenProperty: like the driver's, it is sent when it is first awaited
      then(onAnswer, onFailure) {
        answer ??= send();
        return answer.then(onAnswer, onFailure);
      },
    };
    return turn;
  };

  return {
    db: drizzle({ options: client.options, unsafe } as never) as unknown as Queryable,
    closeDb() {
      isClosed = true;
    },
    async send(statement) {
      await enqueue(() => client.unsafe(statement));
    },
    get isLost() {
      return connection.isLost;
    },
    discard,
  };
}
