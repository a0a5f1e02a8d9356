import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import postgres from "postgres";
import { makeTestHome } from "../../../packages/db/src/embedded/test-support.js";
import type { AckedPost, StoredRow } from "../../faults/checker.js";
import { killPostmaster } from "../../faults/places.js";
import { createRandom, type Random } from "../../faults/random.js";
import { countMessages, type Reader, readerKinds, textOf } from "../../faults/readers.js";
import { createWatch, type Watch } from "../../faults/watch.js";
import { describe, startRestWriter, startWebSocketWriter, type WriterTally } from "../../faults/writers.js";
import { type NatsServer, startNatsServer } from "../../kit/nats-server.js";
import type { Cleanup } from "../../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../../kit/transports.js";
import { startTestNode, type TestNode } from "../start-nodes.js";
import { type Claim, checkNodesRun, type NodesProblem, type Wake } from "./checker.js";
import { createProbes, measureSleep, type WakeLatency } from "./probes.js";
import { startTurningProxy, type TurningProxy } from "./turning-proxy.js";

export interface CampaignOptions {
  readonly bus: "postgres" | "nats";
  readonly posters: number;
  readonly waits: number;
  readonly sockets: number;
  /** How many times each fault happens. The order is random. */
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface CampaignReport {
  readonly seed: number;
  readonly bus: string;
  readonly faults: number;
  readonly acked: number;
  /** Number of messages that the readers received, repeats included. */
  readonly read: number;
  readonly claims: number;
  readonly replaced: number;
  /** How long a post took to end a pending wait, with the bus running and stopped. */
  readonly wakeMs: Readonly<Record<Wake["bus"], WakeLatency>>;
  readonly seconds: number;
  readonly problems: readonly NodesProblem[];
}

/** A node with the proxies to its database and its bus. */
interface Placed {
  readonly node: TestNode;
  readonly database: TurningProxy;
  readonly bus: TurningProxy | null;
}

interface Stage {
  readonly placed: readonly [Placed, ...Placed[]];
  readonly entrance: TurningProxy;
  readonly home: string;
  readonly sql: postgres.Sql;
  readonly nats: NatsServer | null;
  readonly random: Random;
}

export type FaultName = keyof typeof faults;

/** The faults in the campaign. Each resolves when the affected process is running again. */
const faults = {
  killNode: async ({ placed, random }: Stage) => {
    const { node } = random.pick(placed);
    await node.kill();
    await delay(random.between(0, 500));
    await node.start();
  },
  stopNode: async ({ placed, random }: Stage) => {
    const { node } = random.pick(placed);
    await node.stop();
    await node.start();
  },
  freezeNode: ({ placed, random }: Stage) => freeze(random.pick(placed).node.pid, random.between(300, 4_000)),
  freezeNodeLong: ({ placed, random }: Stage) => freeze(random.pick(placed).node.pid, 17_000),
  killBus: async ({ nats, sql, random }: Stage) => {
    if (!nats) return endBackends(sql, "LISTEN");
    await nats.kill();
    await delay(random.between(0, 2_000));
    await nats.start();
  },
  freezeBus: ({ nats, sql, random }: Stage) =>
    nats ? freeze(nats.pid, random.between(300, 4_000)) : endBackends(sql, "LISTEN"),
  killBackend: ({ sql, random }: Stage) => killBackend(sql, random),
  killPostmaster: async ({ home, sql }: Stage) => {
    // An earlier fault may have killed the postmaster, so wait until it is running again.
    await whenServed(() => sql`SELECT`);
    await killPostmaster(home);
  },
  cutDatabase: ({ placed, random }: Stage) => random.pick(placed).database.cut(random.between(0, 2_000)),
  cutBus: ({ placed, random }: Stage) => random.pick(placed).bus?.cut(random.between(0, 3_000)),
  cutClients: ({ entrance, random }: Stage) => entrance.cut(random.between(0, 500)),
} satisfies Record<string, (stage: Stage) => Promise<unknown> | undefined>;

async function freeze(pid: number, ms: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await delay(ms);
  process.kill(pid, "SIGCONT");
}

/** Sends SIGKILL to a PostgreSQL backend. The postmaster then ends all backends and recovers. */
async function killBackend(sql: postgres.Sql, random: Random): Promise<void> {
  const found = await whenServed(
    () => sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity WHERE application_name = 'merkle'`,
  );
  const pids = found.map(({ pid }) => pid);
  const [first, ...others] = pids;
  if (first !== undefined) process.kill(random.pick([first, ...others]), "SIGKILL");
}

async function endBackends(sql: postgres.Sql, query: string): Promise<void> {
  await whenServed(
    () => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE ${`${query}%`}`,
  );
}

/** Repeats a query until PostgreSQL has recovered from earlier faults. */
async function whenServed<Result>(query: () => PromiseLike<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await query();
    } catch (error) {
      if (tries >= 100) throw error;
      await delay(200);
    }
  }
}

const sessionCount = 3;

/**
 * Moves posting clients, waits and sockets between three nodes while faults are injected, one after another, into the
 * nodes, the bus, the database and the network. Then waits until all writes are acknowledged and read, and compares
 * the records of all clients.
 */
export async function runCampaign(options: CampaignOptions, cleanup: Cleanup): Promise<CampaignReport> {
  const { bus, seed, deadlineMs } = options;
  const beganAt = performance.now();
  const random = createRandom(seed);
  const watch = createWatch(deadlineMs);
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  cleanup(async () => {
    watch.stop();
    over.abort(new Error("The campaign is over."));
  });
  const stage = await build(bus, random, cleanup);
  const url = `http://127.0.0.1:${stage.entrance.port}`;
  const rest = await brokerTransports.rest(url);
  const create = async (title: string): Promise<string> => {
    const description = "Under fire, at three nodes.";
    return (await rest.call("create_session", { title, description, creator_team_name: "Convener" }))
      .session_id;
  };
  const sessions: string[] = [];
  for (let index = 0; index < sessionCount; index += 1) sessions.push(await create(`Campaign ${index}`));
  // Task changes are not delivered to peers as messages, so a wait in the same session would see gaps in the sequences.
  const tasksSession = await create("Campaign, its tasks");
  const tally = createTally(watch, over.signal);
  const join = async (name: string, index: number) => joinAt(name, sessions[index % sessionCount] ?? "");
  const joinAt = async (name: string, session: string) => {
    const input = { session_id: session, team_name: name, idempotency_key: `joining-of-${name}` };
    const { team_id, cursor } = await again(() => rest.call("join_session", input), over.signal);
    return { name, url, session, credential: team_id, cursor };
  };

  const kinds = {
    wait: [readerKinds.restCursor, readerKinds.webSocketWait, readerKinds.restWait, readerKinds.streamCursor],
    socket: [readerKinds.follow, readerKinds.renewedFollow, readerKinds.inbox],
  };
  const startReading: (() => Reader)[] = [];
  for (const [kind, count] of [
    ["wait", options.waits],
    ["socket", options.sockets],
  ] as const) {
    for (let index = 0; index < count; index += 1) {
      const start = kinds[kind][index % kinds[kind].length] ?? readerKinds.follow;
      const member = await join(`${kind}-${index}-${start.name}`, index);
      const onFailure = (what: string) => watch.giveUp(what);
      startReading.push(() => start({ ...member, onProgress: watch.notify, onFailure }));
    }
  }
  const posters = [];
  for (let index = 0; index < options.posters; index += 1) posters.push(await join(`poster-${index}`, index));
  // The probes use a separate session without other writers, so that only a post from another node can end their waits.
  const quiet = await create("Campaign, its probes");
  const probes = await createProbes(stage, (name) => joinAt(name, quiet));
  const claimers = await startClaimers({ rest, session: tasksSession, joinAt, watch, over: over.signal });
  const readers = startReading.map((start) => start());
  const writers = posters.map((member, index) => {
    const start = index % 2 === 0 ? startWebSocketWriter : startRestWriter;
    return start(member, tally, createRandom(random.between(0, 2 ** 31)));
  });
  const moving = setInterval(() => stage.entrance.endOldest(), 250);
  cleanup(async () => clearInterval(moving));

  // The cast is safe: the type allows no other keys.
  const names = Object.keys(options.faults) as FaultName[];
  const order = random.shuffle(
    names.flatMap((name) => Array(options.faults[name] ?? 0).fill(name) as FaultName[]),
  );
  for (const [index, name] of order.entries()) {
    await progress(sessions, tally, watch, `before ${index}, ${name}`);
    await faults[name](stage);
    if (index % 5 === 0) await probes.run();
    if (index % 25 === 24) console.info(`${index + 1} faults, ${tally.acked.length} acked`);
  }
  await progress(sessions, tally, watch, "after the last");
  await probes.run();
  clearInterval(moving);
  await Promise.all([...writers, claimers].map((each) => each.stop()));
  const rows = await readRows(stage.sql);
  const ends = new Map(rows.map(({ session, sequence }) => [session, sequence]));
  const isBehind = ({ log, seen }: Reader) => seen < (ends.get(log.session) ?? 0);
  await watch.until(
    () => !readers.some(isBehind),
    () =>
      `${readers.filter(isBehind).map(({ log, seen }) => `${log.reader} at ${seen} of ${ends.get(log.session)}`)}`,
  );
  await Promise.all(readers.map((reader) => reader.stop()));
  return {
    ...{ seed, bus, faults: order.length, acked: tally.acked.length },
    read: countMessages(readers),
    ...{ claims: claimers.claims.length, replaced: probes.uses.length },
    wakeMs: { up: measureSleep(probes.wakes, "up"), down: measureSleep(probes.wakes, "down") },
    seconds: Math.round((performance.now() - beganAt) / 1000),
    problems: checkNodesRun({
      acked: tally.acked,
      readers: readers.map(({ log }) => log),
      database: rows,
      claims: claimers.claims,
      uses: probes.uses,
      wakes: probes.wakes,
    }),
  };
}

/** Starts three nodes on a new PostgreSQL, with a proxy on every connection. */
async function build(bus: CampaignOptions["bus"], random: Random, cleanup: Cleanup): Promise<Stage> {
  const place = await makeTestHome();
  cleanup(place.remove);
  const server = await place.start({ reach: "tcp", connectionsMax: 200 });
  const { host, port, user, password = "", database } = server.connection;
  const urlAt = (at: number) => `postgres://${user}:${password}@${host}:${at}/${database}`;
  const sql = postgres(urlAt(port), { max: 1, onnotice: () => undefined });
  cleanup(() => sql.end({ timeout: 1 }));
  const nats = bus === "nats" ? await startNatsServer({}, cleanup) : null;
  const placed: Placed[] = [];
  for (let number = 0; number < 3; number += 1) {
    const toDatabase = await startTurningProxy(() => [port]);
    const toBus = nats && (await startTurningProxy(() => [Number(new URL(nats.url).port)]));
    const node = await startTestNode(
      {
        databaseUrl: urlAt(toDatabase.port),
        options: {
          ...{ bus: toBus ? `nats://127.0.0.1:${toBus.port}` : "postgres", rateLimits: "off" },
        },
      },
      cleanup,
    );
    cleanup(async () => {
      await toDatabase.stop();
      await toBus?.stop();
    });
    placed.push({ node, database: toDatabase, bus: toBus });
  }
  const entrance = await startTurningProxy(() => placed.map(({ node }) => Number(new URL(node.url).port)));
  cleanup(entrance.stop);
  // The loop above started three nodes.
  return { placed: placed as unknown as Stage["placed"], entrance, home: place.path, sql, nats, random };
}

interface Tally extends WriterTally {
  ackedIn(session: string): number;
}

function createTally(watch: Watch, over: AbortSignal): Tally {
  const acked: AckedPost[] = [];
  const counts = new Map<string, number>();
  let counted = 0;
  return {
    acked,
    ...{ inFlight: 0, repeats: 0, unavailable: new Map(), over },
    onAck() {
      for (const { session } of acked.slice(counted)) counts.set(session, (counts.get(session) ?? 0) + 1);
      counted = acked.length;
      watch.notify();
    },
    onFailure: (what) => watch.giveUp(what),
    ackedIn: (session) => counts.get(session) ?? 0,
  };
}

/** Resolves when every session has received five more posts. */
async function progress(
  sessions: readonly string[],
  tally: Tally,
  watch: Watch,
  when: string,
): Promise<void> {
  const goals = sessions.map((session) => ({ session, goal: tally.ackedIn(session) + 5 }));
  const isBehind = ({ session, goal }: { session: string; goal: number }) => tally.ackedIn(session) < goal;
  await watch.until(
    () => !goals.some(isBehind),
    () => `posts to ${goals.filter(isBehind).map(({ session }) => session)} ${when}`,
  );
}

interface ClaimerOptions {
  readonly rest: TransportClient;
  readonly session: string;
  readonly joinAt: (name: string, session: string) => Promise<{ credential: string }>;
  readonly watch: Watch;
  readonly over: AbortSignal;
}

/** Starts three teams that claim and finish tasks in a loop. One of the teams creates the tasks. */
async function startClaimers({ rest, session: session_id, joinAt, watch, over }: ClaimerOptions) {
  const claims: Claim[] = [];
  let stopping = false;

  async function work(team: string, team_id: string): Promise<void> {
    for (let round = 0; !stopping; round += 1) {
      const key = (what: string) => `${what}-${team}-${round}`;
      const own = { session_id, team_id };
      await again(
        () => rest.call("create_task", { ...own, title: key("task"), idempotency_key: key("add") }),
        over,
      );
      const { task } = await again(
        () => rest.call("claim_task", { ...own, idempotency_key: key("claim") }),
        over,
      );
      if (task) {
        claims.push({ session: session_id, task: task.task, team });
        await again(
          () => rest.call("finish_task", { ...own, task: task.task, idempotency_key: key("finish") }),
          over,
        );
      }
      await delay(200);
    }
  }

  const teams = [];
  for (const team of ["Aspen", "Birch", "Cedar"])
    teams.push({ team, ...(await joinAt(`claimer-${team}`, session_id)) });
  const running = teams.map(({ team, credential }) =>
    work(team, credential).catch((error: unknown) => {
      if (!over.aborted) watch.giveUp(`${team} was told ${describe(error)}`);
    }),
  );
  return {
    claims,
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

/** Repeats a call until it gets a reply other than `unavailable`. */
async function again<Result>(call: () => Promise<Result>, over: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isAnswer = error instanceof MerkleError && error.code !== "unavailable";
      if (isAnswer || over.aborted) throw error;
      await delay(100);
    }
  }
}

async function readRows(sql: postgres.Sql): Promise<StoredRow[]> {
  const rows = await whenServed(
    () => sql<{ session_id: string; sequence: string; content: string }[]>`
      SELECT session_id, sequence, content FROM messages ORDER BY session_id, sequence`,
  );
  return rows.map(({ session_id, sequence, content }) => {
    const parsed: Record<string, unknown> = JSON.parse(content);
    const { text } = parsed;
    return {
      ...{ session: session_id, sequence: Number(sequence), text: textOf(parsed) },
      key: typeof text === "string" ? (text.split(" ")[0] ?? null) : null,
    };
  });
}
