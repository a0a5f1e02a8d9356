import { type AppendBatches, openAppendBatches } from "../append-batches.js";
import type { PostsAnswer } from "../load-posts.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Allocation, Cpu } from "../process-state.js";
import type { BatchAnswer } from "../reference/bare-append.js";
import type { BenchBroker, BenchReference, Stage } from "../stage.js";
import { type Latency, median } from "../statistics.js";

const cases = [
  { name: "1 poster", connections: 1, inFlightEach: 1, over100: false },
  { name: "10 posters", connections: 10, inFlightEach: 1, over100: false },
  { name: "100 posters", connections: 100, inFlightEach: 1, over100: false },
  { name: "100 posters, 100 sessions", connections: 100, inFlightEach: 1, over100: true },
  { name: "100 × 16 in flight", connections: 100, inFlightEach: 16, over100: false },
] as const;
type CaseName = (typeof cases)[number]["name"];

/** Batch sizes, in rows. */
const batchRows = [1, 10, 100, 1_000] as const;
type Rows = (typeof batchRows)[number];

const statementLimits = { bare: "bare append", copy: "COPY into the same table" } as const;

interface Round {
  readonly broker: Readonly<Record<CaseName, PostsCost>>;
  readonly relay: Readonly<Record<CaseName, PostsCost>>;
  readonly bare: Readonly<Record<Rows, BatchAnswer>>;
  /** Latencies of only the append statement, without a broker. */
  readonly append: Readonly<Record<Rows, Latency>>;
  readonly copy: Readonly<Record<Rows, Latency>>;
}

/** The cost of a post: CPU time in microseconds, and bytes allocated. */
interface PostsCost extends PostsAnswer {
  readonly serverMicroseconds: number;
  readonly postgresMicroseconds: number;
  readonly allocatedBytes: number;
}

/**
 * Durable posts over WebSocket, with credentials and idempotency keys. Compared with a relay that has neither, and with
 * the bare append.
 */
export const posts = definePart<Round>({
  name: "posts",
  rounds: { quick: 2, full: 5 },
  figures: [
    ...cases.map(({ name }) => rate(name, name.startsWith("100 ") ? { atLeast: 1 } : undefined)),
    ...(["1 poster", "10 posters", "100 posters"] as const).flatMap((name) => [
      time(name, "p50"),
      time(name, "p99"),
    ]),
    ...(["1 poster", "100 posters", "100 × 16 in flight"] as const).flatMap((name) => [
      cost(name, "broker's processor time", "serverMicroseconds", "µs"),
      cost(name, "PostgreSQL's processor time", "postgresMicroseconds", "µs"),
      cost(name, "allocated by the broker", "allocatedBytes", "bytes"),
    ]),
    {
      name: "1 poster",
      unit: "posts/s",
      limitName: "bare append of 1 row",
      value: (round) => round.broker["1 poster"].perSecond,
      limit: (round) => round.bare[1].perSecond,
      target: { atLeast: 0.6 },
    },
    {
      name: "1 poster, p50",
      unit: "ms",
      limitName: "bare append of 1 row, p50",
      value: (round) => round.broker["1 poster"].p50,
      limit: (round) => round.bare[1].p50,
      target: { atMost: 1.6 },
    },
    {
      name: "100 posters, 100 sessions",
      unit: "posts/s",
      limitName: "the same in one session",
      value: (round) => round.broker["100 posters, 100 sessions"].perSecond,
      limit: (round) => round.broker["100 posters"].perSecond,
      target: { atLeast: 0.8 },
    },
    ...batchRows.map((rows) => statement(rows, "bare", { atMost: 1.6 })),
    ...batchRows.map((rows) => statement(rows, "copy", rows === 100 ? { atMost: 1.1 } : undefined)),
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const relay = await stage.startReference("relay");
    const [posting, appended, copied, ...hundred] = await openSessions(broker.url, {
      sessions: 103,
      teams: 1,
    });
    if (!posting || !appended || !copied) throw new Error("There is no session to post to.");
    const sessions = { append: appended.session_id, copy: copied.session_id };
    const statements = await openAppendBatches(stage.databaseUrl, sessions);
    const measure = (times: Times) =>
      measureRound({ stage, broker, relay, posting, hundred, statements }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), relay.stop(), statements.close()]);
      },
    };
  },
  notes(rounds) {
    const loads = median(rounds.map((round) => round.broker["100 posters"].cpuMicrosecondsEach));
    return [`Processor time of a post in the load generator, 100 posters: ${loads.toFixed(1)} µs.`];
  },
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

interface Setting {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly relay: BenchReference;
  /** The sessions and credentials to post with: one, and a hundred others. */
  readonly posting: TeamInSession;
  readonly hundred: readonly TeamInSession[];
  readonly statements: AppendBatches;
}

async function measureRound(setting: Setting, times: Times): Promise<Round> {
  const { stage, statements } = setting;
  const broker = {} as Record<CaseName, PostsCost>;
  const relay = {} as Record<CaseName, PostsCost>;
  for (const each of cases) {
    broker[each.name] = await measureCase(setting, setting.broker, each, times);
    relay[each.name] = await measureCase(setting, setting.relay, each, times);
  }
  const bare = {} as Record<Rows, BatchAnswer>;
  const append = {} as Record<Rows, Latency>;
  const copy = {} as Record<Rows, Latency>;
  for (const rows of batchRows) {
    bare[rows] = await stage.bareAppend.batches({ rows, feeds: 1, measureMs: times.measureMs });
    append[rows] = await statements.append(rows, times.measureMs);
    copy[rows] = await statements.copy(rows, times.measureMs);
  }
  return { broker, relay, bare, append, copy };
}

async function measureCase(
  { stage, posting, hundred }: Setting,
  server: BenchBroker | BenchReference,
  { connections, inFlightEach, over100 }: (typeof cases)[number],
  { warmUpMs, measureMs }: Times,
): Promise<PostsCost> {
  const cpuTimes = async () => ({
    server: (await server.ask<Cpu>({ state: "cpu" })).microseconds,
    postgres: await stage.postgresCpu(),
  });
  const places = over100 ? hundred : [posting];
  const among = { socketUrls: [server.socketUrl], places, connections, inFlightEach };
  const before = await cpuTimes();
  const answer = await stage.load<PostsAnswer>({ posts: { ...among, warmUpMs, measureMs } });
  const after = await cpuTimes();
  await server.ask<Allocation>({ state: "allocated" });
  const counted = await stage.load<PostsAnswer>({
    posts: { ...among, warmUpMs: 0, measureMs: measureMs / 4 },
  });
  const { bytes } = await server.ask<Allocation>({ state: "allocated" });
  return {
    ...answer,
    serverMicroseconds: (after.server - before.server) / answer.posts,
    postgresMicroseconds: (after.postgres - before.postgres) / answer.posts,
    allocatedBytes: bytes / counted.posts,
  };
}

function statement(rows: Rows, limit: keyof typeof statementLimits, target?: Target): Figure<Round> {
  return {
    name: `append of ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}, p50`,
    unit: "ms",
    limitName: statementLimits[limit],
    value: ({ append }) => append[rows].p50,
    limit: (round) => round[limit][rows].p50,
    target,
  };
}

function rate(name: CaseName, target?: Target): Figure<Round> {
  return {
    name,
    unit: "posts/s",
    limitName: "relay",
    value: (round) => round.broker[name].perSecond,
    limit: (round) => round.relay[name].perSecond,
    target,
  };
}

function time(name: CaseName, which: "p50" | "p99"): Figure<Round> {
  return {
    name: `${name}, ${which}`,
    unit: "ms",
    limitName: "relay",
    value: (round) => round.broker[name][which],
    limit: (round) => round.relay[name][which],
  };
}

function cost(
  name: CaseName,
  what: string,
  which: "serverMicroseconds" | "postgresMicroseconds" | "allocatedBytes",
  unit: "µs" | "bytes",
): Figure<Round> {
  return {
    name: `${name}, ${what}`,
    unit,
    limitName: "relay",
    value: (round) => round.broker[name][which],
    limit: (round) => round.relay[name][which],
  };
}
