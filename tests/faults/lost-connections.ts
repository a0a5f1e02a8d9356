import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.js";
import { createRandom, type Random } from "./random.js";
import { findTornRows, type TornRow } from "./row-checker.js";
import { createWatch } from "./watch.js";
import { describe, untilKnown } from "./writers.js";

/** Makes the writer's next change. Throws if the change fails for a reason other than a lost connection. */
export type RowWriter = (turn: number) => Promise<void>;

export interface RowWriterInput {
  /** Calls an operation with a new idempotency key, and retries until the outcome is known. */
  readonly call: TransportClient["call"];
  /** Retries a function until its outcome is known. */
  readonly repeat: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly transport: TransportClient;
}

/** Prepares a writer before the first connection is lost. */
export type HireWriter = (hiring: RowWriterInput) => Promise<RowWriter>;

export interface LostConnectionsOptions {
  readonly writers: readonly HireWriter[];
  readonly seed: number;
  /**
   * Number of connections that the network resets (`resets`), and number of PostgreSQL backends that the server ends
   * (`ends`).
   */
  readonly resets: number;
  readonly ends: number;
  readonly deadlineMs: number;
}

export interface LostConnectionsReport {
  readonly seed: number;
  readonly writes: number;
  readonly repeats: number;
  /** Writer errors that a lost connection does not explain. */
  readonly refused: readonly string[];
  readonly torn: readonly TornRow[];
}

/** Breaks one database connection after another while all kinds of writers run. Then compares each row with its history. */
export async function loseConnections({
  seed,
  resets,
  ends,
  deadlineMs,
  ...options
}: LostConnectionsOptions): Promise<LostConnectionsReport> {
  const url = new URL(await createTestDatabase());
  const sql = connectTestDatabase(url.href);
  const proxy = await startPostgresProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  const broker = await startTestBroker({ databaseUrl: url.href });
  const transport = await brokerTransports.rest(broker.url);
  const random = createRandom(seed);
  const watch = createWatch(deadlineMs);
  const over = new AbortController();
  const tally = { repeats: 0, unavailable: new Map<string, number>(), over: over.signal };
  const refused: string[] = [];
  let writes = 0;
  let working = options.writers.length;

  const hiring: RowWriterInput = {
    call(name, input) {
      const keyed = { ...input, idempotency_key: randomUUID() };
      return untilKnown(tally, () => transport.call(name, keyed));
    },
    repeat: (work) => untilKnown(tally, work),
    transport,
  };

  async function work(writer: RowWriter): Promise<void> {
    try {
      for (let turn = 1; !over.signal.aborted; turn += 1) {
        await writer(turn);
        writes += 1;
        watch.notify();
      }
    } catch (error) {
      if (!over.signal.aborted) refused.push(describe(error));
    }
    working -= 1;
    watch.notify();
  }

  const writers = [];
  for (const hire of options.writers) writers.push(await hire(hiring));
  const running = writers.map(work);
  const losses = random.shuffle([
    ...Array.from({ length: resets }, () => () => resetSomewhere(proxy, random)),
    ...Array.from({ length: ends }, () => () => endBackend(sql, random)),
  ]);
  try {
    for (const lose of losses) {
      const goal = writes + random.between(1, 2 * working);
      await watch.until(
        () => writes >= goal || working === 0,
        () => `${goal - writes} more writes`,
      );
      if (working === 0) break;
      await lose();
    }
  } finally {
    over.abort();
    await Promise.all(running);
    watch.stop();
  }
  return { seed, writes, repeats: tally.repeats, refused, torn: await findTornRows(sql) };
}

function resetSomewhere(proxy: PostgresProxy, random: Random): Promise<void> {
  return proxy.cut({ at: "byte", bytes: random.between(1, 8_000), reset: true });
}

/** Ends a PostgreSQL backend, as an operator or a server can. */
async function endBackend(sql: ReturnType<typeof connectTestDatabase>, random: Random): Promise<void> {
  const backends = await sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity
    WHERE application_name = 'merkle' AND datname = current_database() AND state <> 'idle' ORDER BY pid`;
  const [first, ...others] = backends.map(({ pid }) => pid);
  if (first !== undefined) await sql`SELECT pg_terminate_backend(${random.pick([first, ...others])})`;
}
