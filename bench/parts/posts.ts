import { type AppendBatches, openAppendBatches } from "../append-batches.js";
import type { PostsAnswer } from "../load-posts.js";
import { definePart, type Figure, type Pace, type Target, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Allocation, Cpu } from "../process-state.js";
import type { BatchAnswer } from "../reference/bare-append.js";
import { type RedisServer, startRedisServer } from "../reference/redis-server.js";
import type { BenchBroker, BenchPrototype, Stage } from "../stage.js";
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
  readonly prototype: Readonly<Record<CaseName, PostsCost>>;
  readonly bare: Readonly<Record<Rows, BatchAnswer>>;
  /** Latencies of only the append statement, without a broker. */
  readonly append: Readonly<Record<Rows, Latency>>;
  readonly copy: Readonly<Record<Rows, Latency>>;
  /** Costs of posting to Redis streams. Null if Redis is not installed. */
  readonly redis: Readonly<Record<CaseName, StreamCost>> | null;
}

interface StreamCost extends PostsAnswer {
  readonly serverMicroseconds: number;
}

/** The cost of a post: CPU time in microseconds, and bytes allocated. */
interface PostsCost extends PostsAnswer {
  readonly serverMicroseconds: number;
  readonly postgresMicroseconds: number;
  readonly allocatedBytes: number;
}

/**
 * Durable posts over WebSocket, with credentials and idempotency keys. Compared with the prototype, which has no rules,
 * and with the bare append. If Redis is installed, also compared with Redis streams, which are synced before each
 * reply. The target is at most 1.3 times the prototype's cost, in every row.
 */
export const posts = definePart<Round>({
  name: "posts",
  rounds: { quick: 2, full: 5 },
  figures: [
    ...cases.map(({ name }) => rate(name, { atLeast: 0.77 })),
    ...(["1 poster", "10 posters", "100 posters"] as const).flatMap((name) => [
      time(name, "p50", { atMost: 1.3 }),
      time(name, "p99"),
    ]),
    ...(["1 poster", "100 posters", "100 × 16 in flight"] as const).flatMap((name) => [
      cost(name, "broker's processor time", "serverMicroseconds", "µs", { atMost: 1.3 }),
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
    ...cases.map(({ name }) => besideRedis(name)),
    {
      name: "100 posters, processor time of all servers",
      unit: "µs",
      limitName: "Redis Streams, synced",
      value: ({ broker: { "100 posters": each } }) => each.serverMicroseconds + each.postgresMicroseconds,
      limit: ({ redis }) => redis?.["100 posters"].serverMicroseconds ?? null,
    },
  ],
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const prototype = await stage.startPrototype();
    const redis = await startRedisServer(stage.folder);
    const [posting, appended, copied, ...hundred] = await openSessions(broker.url, {
      sessions: 103,
      teams: 1,
    });
    if (!posting || !appended || !copied) throw new Error("There is no session to post to.");
    const [feed, ...feeds] = (await prototype.ask<string[]>({ openFeeds: { count: 101 } })).map(toPlace);
    if (!feed) throw new Error("There is no feed to post to.");
    const sides = {
      broker: { server: broker, posting, hundred },
      prototype: { server: prototype, posting: feed, hundred: feeds },
    };
    const sessions = { append: appended.session_id, copy: copied.session_id };
    const statements = await openAppendBatches(stage.databaseUrl, sessions);
    const measure = (times: Times) => measureRound({ stage, sides, redis, statements }, times);
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        await Promise.all([broker.stop(), prototype.stop(), redis?.stop(), statements.close()]);
      },
    };
  },
  notes(rounds) {
    const loads = median(rounds.map((round) => round.broker["100 posters"].cpuMicrosecondsEach));
    return [`Processor time of a post in the load generator, 100 posters: ${loads.toFixed(1)} µs.`];
  },
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

/** A server, and the sessions and credentials to post with. */
interface Side {
  readonly server: BenchBroker | BenchPrototype;
  readonly posting: TeamInSession;
  readonly hundred: readonly TeamInSession[];
}

interface Setting {
  readonly stage: Stage;
  readonly sides: { readonly broker: Side; readonly prototype: Side };
  readonly redis: RedisServer | null;
  readonly statements: AppendBatches;
}

async function measureRound(
  { stage, sides, redis: server, statements }: Setting,
  times: Times,
): Promise<Round> {
  const broker = {} as Record<CaseName, PostsCost>;
  const prototype = {} as Record<CaseName, PostsCost>;
  for (const each of cases) {
    broker[each.name] = await measureCase(stage, sides.broker, each, times);
    prototype[each.name] = await measureCase(stage, sides.prototype, each, times);
  }
  const redis = {} as Record<CaseName, StreamCost>;
  for (const each of cases)
    if (server) redis[each.name] = await measureStream(stage, server, sides.broker, each, times);
  const bare = {} as Record<Rows, BatchAnswer>;
  const append = {} as Record<Rows, Latency>;
  const copy = {} as Record<Rows, Latency>;
  for (const rows of batchRows) {
    bare[rows] = await stage.bareAppend.batches({ rows, feeds: 1, measureMs: times.measureMs });
    append[rows] = await statements.append(rows, times.measureMs);
    copy[rows] = await statements.copy(rows, times.measureMs);
  }
  return { broker, prototype, bare, append, copy, redis: server && redis };
}

/** Sends the same posts from the same callers to Redis streams, each named after a session. */
async function measureStream(
  stage: Stage,
  server: RedisServer,
  { posting, hundred }: Side,
  { connections, inFlightEach, over100 }: (typeof cases)[number],
  { warmUpMs, measureMs }: Times,
): Promise<StreamCost> {
  const before = await server.cpu();
  const places = over100 ? hundred : [posting];
  const answer = await stage.load<PostsAnswer>({
    posts: { socketUrls: [server.url], places, connections, inFlightEach, warmUpMs, measureMs },
  });
  return { ...answer, serverMicroseconds: ((await server.cpu()) - before) / answer.posts };
}

async function measureCase(
  stage: Stage,
  { server, posting, hundred }: Side,
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

function toPlace(session_id: string): TeamInSession {
  return { session_id, team_id: session_id, end: 0 };
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
    limitName: "prototype",
    value: (round) => round.broker[name].perSecond,
    limit: (round) => round.prototype[name].perSecond,
    target,
  };
}

function besideRedis(name: CaseName): Figure<Round> {
  return {
    name,
    unit: "posts/s",
    limitName: "Redis Streams, synced",
    value: (round) => round.broker[name].perSecond,
    limit: (round) => round.redis?.[name].perSecond ?? null,
  };
}

function time(name: CaseName, which: "p50" | "p99", target?: Target): Figure<Round> {
  return {
    name: `${name}, ${which}`,
    unit: "ms",
    limitName: "prototype",
    value: (round) => round.broker[name][which],
    limit: (round) => round.prototype[name][which],
    target,
  };
}

function cost(
  name: CaseName,
  what: string,
  which: "serverMicroseconds" | "postgresMicroseconds" | "allocatedBytes",
  unit: "µs" | "bytes",
  target?: Target,
): Figure<Round> {
  return {
    name: `${name}, ${what}`,
    unit,
    limitName: "prototype",
    value: (round) => round.broker[name][which],
    limit: (round) => round.prototype[name][which],
    target,
  };
}
