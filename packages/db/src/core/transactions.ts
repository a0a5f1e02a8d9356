import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type ConnectionTarget, connectionLost, connectPool, type PoolOptions } from "./connection.js";
import type * as schema from "./schema.js";

/** The connection of a query: the pool, or a transaction. */
export type Queryable = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;
/** The connection of a query that is only one part of a change: a transaction. */
export type Transaction = Queryable;

/** Runs transactions, a few at a time, each on a connection of its own. */
export interface Transactions {
  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/**
 * BEGIN and COMMIT by hand: the driver's own transactions (postgres 3.4) send ROLLBACK over a connection that is gone,
 * which ends the process.
 */
export function startTransactions(target: ConnectionTarget, max: number): Transactions {
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
          // A connection that is lost has rolled back by itself.
          if (!lane.lost) await lane.send("ROLLBACK").catch(lane.discard);
          throw error;
        }
      }),
    end: lanes.end,
  };
}

/**
 * A connection that is lent for one piece of work. It sends one statement at a time, each when the one before it has been
 * answered, and nothing more once its connection is lost. The driver would keep further statements in a queue while it
 * prepares one, and send that queue over its next connection, outside of the transaction.
 */
export interface Lane {
  /** For the queries of this piece of work. */
  readonly db: Queryable;
  /** Refuses further queries of `db`: of a branch of the work that goes on after another one has failed. */
  closeDb(): void;
  send(statement: "BEGIN" | "COMMIT" | "ROLLBACK"): Promise<void>;
  /** Whether its connection has closed, or may not be used any more. */
  readonly lost: boolean;
  /** Closes the connection, which is not lent again. */
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
  const idle: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  const connections = new Set<Connection>();
  let ended = false;

  async function take(): Promise<Connection> {
    // Whoever comes too late must not open a connection that nobody closes.
    if (ended) throw connectionLost();
    const connection = idle.pop();
    if (connection) return connection;
    if (connections.size < max) return open();
    return new Promise((resolve) => waiting.push(resolve));
  }

  function open(): Connection {
    const connection = openConnection(target, options, () => {
      connections.delete(connection);
      const place = idle.indexOf(connection);
      if (place >= 0) idle.splice(place, 1);
    });
    connections.add(connection);
    return connection;
  }

  function giveBack(connection: Connection): void {
    const next = waiting.shift();
    const free = connection.lost ? null : connection;
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
        giveBack(connection);
      }
    },
    async end() {
      ended = true;
      await Promise.all([...connections].map((connection) => connection.end()));
    },
  };
}

/** One connection, over which one statement is under way at a time. */
interface Connection {
  readonly client: postgres.Sql;
  readonly lost: boolean;
  /** Sends a statement when every one before it has been answered. @throws an error that `isConnectionLost` knows, once the connection is lost */
  inTurn<Answer>(send: () => PromiseLike<Answer>): Promise<Answer>;
  discard(): void;
  end(): Promise<void>;
}

function openConnection(
  target: ConnectionTarget,
  options: Pick<PoolOptions, "plansAnew">,
  onLost: () => void,
): Connection {
  const client = connectPool(target, 1, { ...options, keepOpen: true, onClose: discard });
  let lost = false;
  let last: Promise<unknown> = Promise.resolve();

  function discard(): void {
    if (lost) return;
    lost = true;
    onLost();
    setImmediate(() => void client.end({ timeout: 1 }));
  }

  /** After anything but a plain refusal by the server, nobody knows what the driver or the server would do next. */
  function discardUnlessRefused(error: unknown): void {
    if (!(error instanceof postgres.PostgresError && error.severity === "ERROR")) discard();
  }

  return {
    client,
    get lost() {
      return lost;
    },
    inTurn(send) {
      const answer = last.then(() => {
        if (lost) throw connectionLost();
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
  const { client, inTurn, discard } = connection;
  let closed = false;

  const unsafe = (text: string, parameters?: unknown[], options?: postgres.UnsafeQueryOptions) => {
    const query = client.unsafe(text, parameters as postgres.ParameterOrJSON<never>[], options);
    let answer: Promise<unknown> | undefined;
    const send = async () => {
      if (closed) throw new TypeError("This transaction has ended.");
      return inTurn(() => query);
    };
    // All that drizzle uses of the driver's queries; whatever else is asked of one fails at once.
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
      closed = true;
    },
    async send(statement) {
      await inTurn(() => client.unsafe(statement));
    },
    get lost() {
      return connection.lost;
    },
    discard,
  };
}
