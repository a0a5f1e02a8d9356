import { setTimeout as delay } from "node:timers/promises";
import type { BareCount } from "../bare-process.js";
import { definePart, type Figure, type Target } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import type { Cpu, Memory } from "../process-state.js";
import type { BenchBare, BenchBroker, Stage } from "../stage.js";

/** The cost of idle connections. */
interface Round {
  readonly connections: number;
  /** Bytes per connection. */
  readonly socket: Compared<Memory>;
  readonly poll: Compared<Memory>;
  /** Share of a core used while a thousand connections are open, measured over one heartbeat. */
  readonly cpu: Compared<number> & { readonly connections: number; readonly heartbeatMs: number };
}

interface Compared<Value> {
  readonly merkle: Value;
  readonly bare: Value;
}

export const idle = definePart<Round>({
  name: "idle",
  rounds: { quick: 1, full: 1 },
  figures: [
    memory("idle connection with an inbox, RSS", "socket", "bare ws, idle", { valueAtMost: 20 }),
    memory("parked wait (HTTP), RSS", "poll", "bare node:http, parked", { valueAtMost: 30 }),
    {
      name: "1,000 idle connections, broker's processor time",
      unit: "% of a core",
      limitName: "bare ws with pings",
      value: (round) => round.cpu.merkle * 100,
      limit: (round) => round.cpu.bare * 100,
      target: { valueAtMost: 1 },
    },
  ],
  async open(stage, { quick }) {
    const wanted = quick ? 1_000 : 5_000;
    const connections = Math.min(wanted, await descriptorsFor(stage));
    const warmUps = connections / 5;
    const places = await prepare(stage, connections + warmUps);
    const crowd = { warmUps: places.slice(0, warmUps), idlers: places.slice(warmUps) };
    return {
      measure: () => measureRound(stage, crowd, quick ? 12_500 : 25_000),
      close: async () => undefined,
    };
  },
  notes: ([round]) => [
    `Memory was measured at ${round?.connections.toLocaleString("en")} connections, five teams to a session, after collecting garbage.`,
  ],
});

interface Crowd {
  /**
   * Connections that open and close before memory is first measured, so that code and buffers are already allocated.
   */
  readonly warmUps: readonly TeamInSession[];
  readonly idlers: readonly TeamInSession[];
}

const teamsPerSession = 5;
/** Number of file descriptors to leave free for other files. */
const descriptorsSpare = 500;

/** Returns how many connections a process may open on this machine. Prints a note if fewer are possible than needed. */
async function descriptorsFor(stage: Stage): Promise<number> {
  const { descriptors } = await stage.load<{ descriptors: number | null }>({ descriptors: true });
  // Windows does not limit open connections in this way.
  if (descriptors === null) return Number.POSITIVE_INFINITY;
  const possible = Math.floor((descriptors - descriptorsSpare) / 1_000) * 1_000;
  if (possible >= 5_000) return possible;
  console.error(
    `A process may open ${descriptors} files here, so at most ${possible} connections are held. More: ulimit -n 10000, then again.`,
  );
  if (possible < 1_000) throw new Error("Idle connections cannot be measured with so few open files.");
  return possible;
}

/**
 * Creates the teams with a separate broker, so that the measured broker knows each team only once the team connects.
 */
async function prepare(stage: Stage, teams: number): Promise<readonly TeamInSession[]> {
  const broker = await stage.startBroker();
  try {
    return await openSessions(broker.url, { sessions: teams / teamsPerSession, teams: teamsPerSession });
  } finally {
    await broker.stop();
  }
}

async function measureRound(stage: Stage, crowd: Crowd, heartbeatMs: number): Promise<Round> {
  const start = async (): Promise<Servers> => {
    const flags = ["--expose-gc"];
    return {
      broker: await stage.startBroker({ flags, heartbeatMs }),
      bare: await stage.startBare({ flags }),
    };
  };
  const stop = ({ broker, bare }: Servers) => Promise.all([broker.stop(), bare.stop()]);

  const servers = await start();
  const socket = await compareMemory(stage, servers, crowd, "socket");
  const cpu = await compareCpu(stage, servers, crowd, heartbeatMs);
  await stop(servers);

  const fresh = await start();
  const poll = await compareMemory(stage, fresh, crowd, "poll");
  await stop(fresh);
  return { connections: crowd.idlers.length, socket, poll, cpu };
}

type Way = "socket" | "poll";

interface Servers {
  readonly broker: BenchBroker;
  readonly bare: BenchBare;
}

async function compareMemory(
  stage: Stage,
  { broker, bare }: Servers,
  crowd: Crowd,
  way: Way,
): Promise<Compared<Memory>> {
  return {
    merkle: await measureMemory(stage, crowd, way, toMerkle(broker)),
    bare: await measureMemory(stage, crowd, way, toBare(bare)),
  };
}

/** One of the compared servers. `count` returns the number of connections to the server. */
interface Server {
  readonly kind: "merkle" | "bare";
  readonly process: BenchBroker | BenchBare;
  count(way: Way): Promise<number>;
}

function toMerkle(broker: BenchBroker): Server {
  return { kind: "merkle", process: broker, count: (way) => countAtBroker(broker, way) };
}

function toBare(bare: BenchBare): Server {
  return {
    kind: "bare",
    process: bare,
    async count(way) {
      const { sockets, polls } = await bare.ask<BareCount>({ count: true });
      return way === "socket" ? sockets : polls;
    },
  };
}

/** Returns how much memory each connection added to the process, in bytes. */
async function measureMemory(
  stage: Stage,
  { warmUps, idlers }: Crowd,
  way: Way,
  server: Server,
): Promise<Memory> {
  await hold(stage, server, way, warmUps);
  await releaseAll(stage, server, way);
  const before = await server.process.ask<Memory>({ state: "memory" });
  await hold(stage, server, way, idlers);
  const after = await server.process.ask<Memory>({ state: "memory" });
  await releaseAll(stage, server, way);
  const each = (which: keyof Memory) => (after[which] - before[which]) / idlers.length;
  return { rss: each("rss"), heapUsed: each("heapUsed"), external: each("external") };
}

async function hold(stage: Stage, server: Server, way: Way, places: readonly TeamInSession[]): Promise<void> {
  const { url, socketUrl } = server.process;
  await stage.load({ hold: { url, socketUrl, way, server: server.kind, places } });
  await until(() => server.count(way), places.length);
}

async function releaseAll(stage: Stage, server: Server, way: Way): Promise<void> {
  await stage.load({ release: true });
  await until(() => server.count(way), 0);
}

async function countAtBroker({ url }: BenchBroker, way: Way): Promise<number> {
  const gauge = way === "socket" ? "merkle_sockets" : "merkle_parked_waits";
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${gauge} (\\d+)`, "m").exec(metrics)?.[1]);
}

const untilMsMax = 30_000;

async function until(count: () => Promise<number>, wanted: number): Promise<void> {
  const giveUpAt = performance.now() + untilMsMax;
  for (let there = await count(); there !== wanted; there = await count()) {
    if (performance.now() > giveUpAt) throw new Error(`Of ${wanted} connections ${there} are there.`);
    await delay(50);
  }
}

const cpuConnections = 1_000;

/** Measures both servers at the same time, because neither server does anything that could affect the other. */
async function compareCpu(
  stage: Stage,
  { broker, bare }: Servers,
  { idlers }: Crowd,
  heartbeatMs: number,
): Promise<Round["cpu"]> {
  const places = idlers.slice(0, cpuConnections);
  const servers = [toMerkle(broker), toBare(bare)] as const;
  for (const server of servers) await hold(stage, server, "socket", places);
  await bare.ask({ ping: { everyMs: heartbeatMs } });
  // Asking for the memory waits until all work from opening the connections has ended.
  for (const { process } of servers) await process.ask({ state: "memory" });

  const read = () => Promise.all(servers.map(({ process }) => process.ask<Cpu>({ state: "cpu" })));
  const begunAt = performance.now();
  const before = await read();
  await delay(heartbeatMs);
  const after = await read();
  const microseconds = (performance.now() - begunAt) * 1_000;
  for (const server of servers) await releaseAll(stage, server, "socket");

  const share = (index: number) =>
    ((after[index]?.microseconds ?? 0) - (before[index]?.microseconds ?? 0)) / microseconds;
  return { merkle: share(0), bare: share(1), connections: places.length, heartbeatMs };
}

function memory(name: string, way: Way, limitName: string, target: Target): Figure<Round> {
  return {
    name,
    unit: "kB",
    limitName,
    value: (round) => round[way].merkle.rss / 1_000,
    limit: (round) => round[way].bare.rss / 1_000,
    target,
  };
}
