import { setTimeout as delay } from "node:timers/promises";
import { connectPool, openDatabase, type Queryable, readFeedHeads } from "@merkle/db";
import { connect } from "@nats-io/transport-node";
import { sql } from "drizzle-orm";
import type { FanOutAnswer } from "../load-fan-out.js";
import type { PacedAnswer } from "../load-paced.js";
import type { PostsAnswer } from "../load-posts.js";
import type { LoadQuestion } from "../load-process.js";
import { startNatsServer } from "../nats-server.js";
import { definePart, type Figure, type Pace, type Target } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Cpu } from "../process-state.js";
import type { BenchBroker, BrokerStart, Stage } from "../stage.js";
import { type Latency, median, toLatency } from "../statistics.js";

const buses = ["postgres", "nats"] as const;
type BusKind = (typeof buses)[number];
/** A single node, or several nodes and the bus between them. */
type Mesh = "1" | `${2 | 3} ${BusKind}`;

/** CPU time per post in microseconds, for all brokers together and for PostgreSQL. */
interface PostCost {
  readonly post: number;
  readonly postInPostgres: number;
  /** CPU time per post if each poster has a separate session. */
  readonly postElsewhere: number;
  readonly postElsewhereInPostgres: number;
  /**
   * CPU time per post at a rate that leaves the machine idle time, so that any additional load comes from the other
   * nodes.
   */
  readonly postAtPace: number;
  readonly postAtPaceInPostgres: number;
}

interface Cost extends PostCost {
  readonly delivery: number;
  /**
   * Time from writing a post at one node until a receiver at another node gets it. With a single node, the receiver is
   * at the same node.
   */
  readonly received: Latency;
}

interface Round {
  readonly meshes: Readonly<Partial<Record<Mesh, Cost>>>;
  /**
   * Three isolated brokers, each with a separate database. Shows the cost of running three processes on this machine.
   */
  readonly separate: PostCost;
  /** Time from publishing a hint to receiving it over separate connections: the median in milliseconds. */
  readonly hints: { readonly postgres: number; readonly nats: number | null };
  readonly catchUp: { readonly merkle: number; readonly bare: number };
  /**
   * Share of a core that a node with idle sockets uses: as the only node, and as one of three nodes. Measured only in a
   * full run.
   */
  readonly idle: { readonly alone: number; readonly ofThree: number } | null;
}

/** Number of posters per node. Several nodes serve more callers than a single node, at the same cost per post. */
const posters = 100;
const paced = { connections: 10, everyMs: 50 };
const pacedRate = (1_000 * paced.connections) / paced.everyMs;
const receivers = 100;
const inFlight = 16;
const activeSessions = 50_000;
const idleSockets = 5_000;
const teamsPerSession = 5;
const idleMs = 25_000;

/** Measures the cost of several nodes: one, two and three nodes run, with the same work for each node. */
export const nodes = definePart<Round>({
  name: "nodes",
  rounds: { quick: 1, full: 3 },
  figures: [
    ...buses.flatMap((bus) =>
      ([2, 3] as const).flatMap((count) => {
        return [
          cost(`${count} ${bus}`, `a post, ${posters} sessions a node, brokers`, "postElsewhere"),
          cost(
            `${count} ${bus}`,
            `a post, ${posters} sessions a node, PostgreSQL`,
            "postElsewhereInPostgres",
          ),
          cost(`${count} ${bus}`, `a post, one session, ${posters} posters a node, brokers`, "post"),
          cost(
            `${count} ${bus}`,
            `a post, one session, ${posters} posters a node, PostgreSQL`,
            "postInPostgres",
          ),
          cost(
            `${count} ${bus}`,
            `a post, ${pacedRate} a second at a node, brokers`,
            "postAtPace",
            count === 3 ? { atMost: 1.25 } : undefined,
          ),
          cost(
            `${count} ${bus}`,
            `a post, ${pacedRate} a second at a node, PostgreSQL`,
            "postAtPaceInPostgres",
          ),
          cost(
            `${count} ${bus}`,
            `a delivery, ${receivers} receivers and ${inFlight} posts in flight a node, brokers`,
            "delivery",
            count === 3 ? { atMost: 1.25 } : undefined,
          ),
        ];
      }),
    ),
    ...buses.flatMap((bus) => [
      besideSeparate(bus, `a post, ${posters} sessions a node, brokers`, "postElsewhere"),
      besideSeparate(bus, `a post, one session, ${posters} posters a node, brokers`, "post"),
      besideSeparate(bus, `a post, ${pacedRate} a second at a node, brokers`, "postAtPace"),
    ]),
    ...buses.map(hintLatency),
    {
      name: `catching up with ${activeSessions.toLocaleString("en")} sessions that are read`,
      unit: "ms",
      limitName: "their heads alone, read without a library",
      value: ({ catchUp }) => catchUp.merkle,
      limit: ({ catchUp }) => catchUp.bare,
    },
    {
      name: `${idleSockets.toLocaleString("en")} idle sockets at one of three nodes, its processor time`,
      unit: "% of a core",
      limitName: "at a node alone",
      value: ({ idle }) => (idle === null ? null : idle.ofThree * 100),
      limit: ({ idle }) => (idle === null ? null : idle.alone * 100),
    },
  ],
  async open(stage, pace) {
    const nats = await startNatsServer();
    const addresses: Partial<Record<BusKind, string>> = {
      postgres: "postgres",
      ...(nats && { nats: nats.url }),
    };
    const setting = { stage, addresses, ...(await prepare(stage, pace.quick ? 0 : idleSockets)) };
    return {
      measure: async () => measureRound(setting, pace),
      close: async () => nats?.stop(),
    };
  },
  notes: ([round]) =>
    round?.hints.nats === null ? ["There is no nats-server here, so that bus was not measured."] : [],
});

interface Setting {
  readonly stage: Stage;
  readonly addresses: Readonly<Partial<Record<BusKind, string>>>;
  readonly poster: TeamInSession;
  /** Sessions and credentials to post with. No two are for the same session. */
  readonly apart: readonly TeamInSession[];
  readonly sleepers: readonly TeamInSession[];
  readonly separate: Separate;
}

/** Databases on one server, each with a separate broker. Sessions alternate between the databases. */
interface Separate {
  readonly databaseUrls: readonly string[];
  readonly posters: readonly TeamInSession[];
  readonly apart: readonly TeamInSession[];
}

async function prepare(stage: Stage, sockets: number) {
  const broker = await stage.startBroker();
  const [poster, ...apart] = await openSessions(broker.url, { sessions: 1 + 3 * posters, teams: 1 });
  const sessions = sockets / teamsPerSession;
  const sleepers = await openSessions(broker.url, { sessions, teams: teamsPerSession });
  await broker.stop();
  if (!poster) throw new Error("There is no session to post to.");
  return { poster, apart, sleepers, separate: await prepareSeparate(stage) };
}

async function prepareSeparate(stage: Stage): Promise<Separate> {
  const databaseUrls: string[] = [];
  const places: TeamInSession[][] = [];
  for (const name of ["separate_1", "separate_2", "separate_3"]) {
    const databaseUrl = await stage.makeDatabase(name);
    const broker = await stage.startBroker({ databaseUrl });
    places.push(await openSessions(broker.url, { sessions: 1 + posters, teams: 1 }));
    await broker.stop();
    databaseUrls.push(databaseUrl);
  }
  const taken = Array.from({ length: 1 + posters }, (_, turn) => places.flatMap((at) => at[turn] ?? []));
  const [first = [], ...others] = taken;
  return { databaseUrls, posters: first, apart: others.flat() };
}

async function measureRound(setting: Setting, pace: Pace): Promise<Round> {
  const { stage, addresses } = setting;
  const meshes: Partial<Record<Mesh, Cost>> = {};
  const alone = await withBrokers(stage, [{ bus: "local" }], (brokers) =>
    measureMesh(setting, brokers, pace),
  );
  meshes["1"] = alone.cost;
  let ofThree: number | null = null;
  const separate = await measureSeparate(setting, pace);
  for (const bus of buses) {
    const address = addresses[bus];
    if (address === undefined) continue;
    for (const count of [2, 3] as const) {
      const measured = await withBrokers(stage, Array(count).fill({ bus: address }), (brokers) =>
        measureMesh(setting, brokers, pace),
      );
      meshes[`${count} ${bus}`] = measured.cost;
      if (count === 3 && bus === "postgres") ofThree = measured.idle;
    }
  }
  return {
    meshes,
    separate,
    hints: {
      postgres: await measureNotify(stage),
      nats: addresses.nats === undefined ? null : await measureNats(addresses.nats),
    },
    catchUp: await measureCatchUp(stage),
    idle: alone.idle === null || ofThree === null ? null : { alone: alone.idle, ofThree },
  };
}

/** @param starts - the options for each broker */
async function withBrokers<Result>(
  stage: Stage,
  starts: readonly BrokerStart[],
  work: (brokers: readonly BenchBroker[]) => Promise<Result>,
): Promise<Result> {
  const brokers: BenchBroker[] = [];
  try {
    // Starts the brokers one after another, because the first broker of a mesh creates the audit key that the other
    // brokers get.
    for (const start of starts) brokers.push(await stage.startBroker(start));
    return await work(brokers);
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
  }
}

async function measureMesh(
  { stage, poster, apart, sleepers }: Setting,
  brokers: readonly BenchBroker[],
  pace: Pace,
): Promise<{ cost: Cost; idle: number | null }> {
  const socketUrls = brokers.map((broker) => broker.socketUrl);
  const serverPids = brokers.map((broker) => broker.pid);
  const fanOut = (times: Times) =>
    stage.load<FanOutAnswer>({
      fanOut: {
        socketUrls,
        serverPids,
        poster,
        receivers: receivers * brokers.length,
        inFlight: inFlight * brokers.length,
        ...times,
      },
    });
  const { warmUp, times } = timesOf(brokers, pace);
  const posts = await measurePosts(stage, brokers, { together: [poster], apart }, pace);
  await fanOut(warmUp);
  const { serverMicrosecondsEach } = await fanOut(times);
  const [first, other = first] = brokers;
  if (!first || !other) throw new Error("There is no broker.");
  const received = await stage.load<Latency>({
    delivery: {
      ...{ url: other.url, socketUrl: other.socketUrl, postUrl: first.socketUrl, way: "websocket", poster },
      // A node that has just sent a hint collects further hints before it sends again, so each post comes after a
      // pause.
      ...{ receivers: [poster], pauseMs: 60, measureMs: pace.measureMs * 3 },
    },
  });
  return {
    cost: { ...posts, delivery: serverMicrosecondsEach, received },
    // Measured with one and with three nodes. Measuring two nodes would add no information.
    idle: sleepers.length === 0 || brokers.length === 2 ? null : await measureIdle(stage, first, sleepers),
  };
}

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

/** Returns the durations of the measurements. Each server needs a second or two to compile its hot code. */
function timesOf(
  brokers: readonly BenchBroker[],
  { warmUpMs, measureMs }: Pace,
): { warmUp: Times; times: Times } {
  return {
    warmUp: { warmUpMs: 0, measureMs: measureMs * 2 * brokers.length },
    times: { warmUpMs, measureMs: measureMs * 3 },
  };
}

/**
 * @param together - the sessions and credentials of posters that share one session, or one session per separate broker
 * @param apart - the sessions and credentials of posters that each have a separate session
 */
async function measurePosts(
  stage: Stage,
  brokers: readonly BenchBroker[],
  { together, apart }: Readonly<Record<"together" | "apart", readonly TeamInSession[]>>,
  pace: Pace,
): Promise<PostCost> {
  const socketUrls = brokers.map(({ socketUrl }) => socketUrl);
  const costOf = async (load: LoadQuestion) => {
    const [before, postgresBefore] = [await cpuOf(brokers), await stage.postgresCpu()];
    const { posts } = await stage.load<PostsAnswer | PacedAnswer>(load);
    const [after, postgresAfter] = [await cpuOf(brokers), await stage.postgresCpu()];
    return { brokers: (after - before) / posts, postgres: (postgresAfter - postgresBefore) / posts };
  };
  const connections = posters * brokers.length;
  const post = (places: readonly TeamInSession[], times: Times) =>
    costOf({ posts: { socketUrls, places, connections, inFlightEach: 1, ...times } });
  const { warmUp, times } = timesOf(brokers, pace);
  for (const places of [together, apart]) await post(places, warmUp);
  const inOne = await post(together, times);
  const elsewhere = await post(apart, times);
  // Each node has a separate session, and as many callers as a single node.
  const atPace = await costOf({
    paced: {
      ...{ socketUrls, places: apart.slice(0, brokers.length), everyMs: paced.everyMs },
      ...{ connections: paced.connections * brokers.length, measureMs: times.measureMs },
    },
  });
  return {
    post: inOne.brokers,
    postInPostgres: inOne.postgres,
    postElsewhere: elsewhere.brokers,
    postElsewhereInPostgres: elsewhere.postgres,
    postAtPace: atPace.brokers,
    postAtPaceInPostgres: atPace.postgres,
  };
}

function measureSeparate({ stage, separate }: Setting, pace: Pace): Promise<PostCost> {
  const { databaseUrls, posters: together, apart } = separate;
  const starts = databaseUrls.map((databaseUrl) => ({ databaseUrl }));
  return withBrokers(stage, starts, (brokers) => measurePosts(stage, brokers, { together, apart }, pace));
}

async function cpuOf(brokers: readonly BenchBroker[]): Promise<number> {
  const each = await Promise.all(brokers.map((broker) => broker.ask<Cpu>({ state: "cpu" })));
  return each.reduce((sum, { microseconds }) => sum + microseconds, 0);
}

/** Returns the CPU share of idle sockets, over the time in which a heartbeat reaches every socket. */
async function measureIdle(
  stage: Stage,
  broker: BenchBroker,
  places: readonly TeamInSession[],
): Promise<number> {
  const { url, socketUrl } = broker;
  await stage.load({ hold: { url, socketUrl, places, way: "socket", server: "merkle" } });
  // The CPU time for opening the sockets must not count.
  await delay(5_000);
  const before = await broker.ask<Cpu>({ state: "cpu" });
  await delay(idleMs);
  const after = await broker.ask<Cpu>({ state: "cpu" });
  await stage.load({ release: true });
  return (after.microseconds - before.microseconds) / (idleMs * 1_000);
}

const hintsCount = 200;

async function measureNotify({ databaseUrl }: Stage): Promise<number> {
  const [listening, notifying] = [connectPool(databaseUrl, 1), connectPool(databaseUrl, 1)];
  let heard: () => void = () => undefined;
  try {
    await listening.listen("bench_hints", () => heard());
    return await timeEach(
      (done) => {
        heard = done;
      },
      () => notifying`SELECT pg_notify('bench_hints', 'x')`,
    );
  } finally {
    await Promise.all([listening.end(), notifying.end()]);
  }
}

async function measureNats(servers: string): Promise<number> {
  const [listening, telling] = [await connect({ servers }), await connect({ servers })];
  let heard: () => void = () => undefined;
  try {
    listening.subscribe("bench.hints", { callback: () => heard() });
    await listening.flush();
    return await timeEach(
      (done) => {
        heard = done;
      },
      async () => telling.publish("bench.hints", "x"),
    );
  } finally {
    await Promise.all([listening.close(), telling.close()]);
  }
}

/** Publishes one hint after another. Returns the median time until a hint is received, in milliseconds. */
async function timeEach(onHeard: (done: () => void) => void, tell: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < hintsCount; count += 1) {
    const heard = new Promise<void>((resolve) => onHeard(resolve));
    const from = performance.now();
    await Promise.all([tell(), heard]);
    took.push(performance.now() - from);
  }
  return toLatency(took).p50;
}

/**
 * Measures the query that every node runs every 5 s, for all sessions that are read at the node (NODE-3). The sessions
 * are created in a transaction that is rolled back, so that other measurements do not see them.
 */
async function measureCatchUp({ databaseUrl }: Stage): Promise<Round["catchUp"]> {
  const database = await openDatabase({ target: databaseUrl });
  let measured: Round["catchUp"] | undefined;
  try {
    await database.orm.transaction(async (tx) => {
      await tx.execute(sql`SELECT set_config('statement_timeout', '0', true)`);
      const ids = await addActiveSessions(tx);
      const heads = sql`SELECT session_id, last_sequence FROM feeds WHERE session_id IN (SELECT unnest(${`{${ids}}`}::uuid[]))`;
      measured = {
        merkle: await timeOf(() => readFeedHeads(tx, ids)),
        bare: await timeOf(() => tx.execute(heads)),
      };
      tx.rollback();
    });
  } catch (error) {
    if (measured === undefined) throw error;
  } finally {
    await database.close();
  }
  if (measured === undefined) throw new Error("Nothing was measured.");
  return measured;
}

async function addActiveSessions(tx: Pick<Queryable, "execute">): Promise<string[]> {
  const rows = await tx.execute<{ session_id: string }>(sql`
    WITH added AS (
      INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
      SELECT gen_random_uuid(), mesh_id, 'bench-active-' || n, 'bench active', '', gen_random_uuid(), '{}', now(), now()
      FROM (SELECT mesh_id FROM meshes LIMIT 1) m, generate_series(1, ${activeSessions}::int) n
      RETURNING session_id
    ), feeding AS (
      INSERT INTO feeds (session_id) SELECT session_id FROM added
    ), writing AS (
      INSERT INTO documents (session_id, version, content, updated_at) SELECT session_id, 0, '', now() FROM added
    )
    SELECT session_id FROM added`);
  await tx.execute(sql`ANALYZE feeds, documents`);
  return rows.map(({ session_id }) => session_id);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const from = performance.now();
    await work();
    took.push(performance.now() - from);
  }
  return median(took);
}

function cost(
  mesh: Mesh,
  what: string,
  which: Exclude<keyof Cost, "received">,
  target?: Target,
): Figure<Round> {
  return {
    name: `${mesh.replace(" ", " nodes, ")}: ${what}`,
    unit: "µs",
    limitName: "one node, no bus",
    value: ({ meshes }) => meshes[mesh]?.[which] ?? null,
    limit: ({ meshes }) => meshes["1"]?.[which] ?? null,
    target,
  };
}

/** The cost of a post at three nodes, compared with three isolated brokers. */
function besideSeparate(bus: BusKind, what: string, which: keyof PostCost): Figure<Round> {
  return {
    name: `3 nodes, ${bus}: ${what}`,
    unit: "µs",
    limitName: "3 brokers of a database each",
    value: ({ meshes }) => meshes[`3 ${bus}`]?.[which] ?? null,
    limit: ({ separate }) => separate[which],
    target: { atMost: 1.25 },
  };
}

/** How much later a reader receives a post at another node than it would at a single node. */
function hintLatency(bus: BusKind): Figure<Round> {
  return {
    name: `a hint over ${bus}: post → received at another of two nodes, p50, less that at one`,
    unit: "ms",
    limitName: bus === "nats" ? "bare NATS" : "bare NOTIFY",
    value({ meshes }) {
      const [there, here] = [meshes[`2 ${bus}`]?.received.p50, meshes["1"]?.received.p50];
      return there === undefined || here === undefined ? null : there - here;
    },
    limit: ({ hints }) => hints[bus],
  };
}
