import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@merkle/db/embedded";
import { initializeLine } from "../mcp-stdio.js";
import { getBuiltMerkle, installBundled, type MerkleProgram, startNode } from "../merkle-program.js";
import { definePart, type Figure, type Target } from "../part.js";
import { readRss } from "../process-state.js";
import { median } from "../statistics.js";

/** Milliseconds from the start of a process until the awaited event. */
interface Round {
  readonly node: number;
  /** The resident set of an idle Node program, in bytes. */
  readonly nodeRss: number;
  readonly postgres: UpTimes;
  /** Times of a program started from a checkout. */
  readonly built: Times;
  /** Times of a program started from an installed package. */
  readonly bundled: Times;
}

interface Times {
  readonly help: number;
  /** Time until `merkle mcp` answers `initialize`, without a broker. */
  readonly mcp: number;
  /** The resident set of `merkle mcp` once it has answered `initialize`, in bytes. NaN without /proc. */
  readonly mcpRss: number;
  readonly up: UpTimes;
}

interface UpTimes {
  /** Time to start in a home folder that does not exist yet. */
  readonly first: number;
  readonly later: number;
}

export const start = definePart<Round>({
  name: "start",
  rounds: { quick: 1, full: 3 },
  figures: (["built", "bundled"] as const).flatMap((kind) => [
    short(kind, "help", { atMost: 2 }),
    short(kind, "mcp", { atMost: 2 }),
    mcpMemory(kind),
    up(kind, "first", { valueAtMost: 4_000 }),
    up(kind, "later", { valueAtMost: 1_000 }),
  ]),
  async open(stage, { quick }) {
    const folder = await mkdtemp(join(stage.folder, "start-"));
    await chmod(folder, 0o711);
    const empty = join(folder, "empty.mjs");
    await writeFile(empty, "");
    const programs = { built: getBuiltMerkle(), bundled: await installBundled(folder) };
    return {
      measure: () => measureRound({ folder, empty, programs, times: quick ? 3 : 7 }),
      close: async () => undefined,
    };
  },
});

interface Setting {
  readonly folder: string;
  /** Path of a Node program that does nothing. */
  readonly empty: string;
  readonly programs: Readonly<Record<MerkleProgram["kind"], MerkleProgram>>;
  /** How many times each short command is started. */
  readonly times: number;
}

async function measureRound({ folder, empty, programs, times }: Setting): Promise<Round> {
  const node: number[] = [];
  const nodeRss: number[] = [];
  const built = startTimes(programs.built, folder);
  const bundled = startTimes(programs.bundled, folder);
  for (let time = 0; time < times; time += 1) {
    node.push(await timed(() => startNode([empty]).ended));
    nodeRss.push(await idleNodeRss());
    await built.take();
    await bundled.take();
  }
  return {
    node: median(node),
    nodeRss: median(nodeRss),
    postgres: await measurePostgres(await newHome(folder)),
    built: { ...built.medians(), up: await measureUp(programs.built, await newHome(folder)) },
    bundled: { ...bundled.medians(), up: await measureUp(programs.bundled, await newHome(folder)) },
  };
}

/** Collects the times of short commands. */
function startTimes(program: MerkleProgram, home: string) {
  const help: number[] = [];
  const mcp: number[] = [];
  const mcpRss: number[] = [];
  return {
    async take(): Promise<void> {
      help.push(await timed(() => program.start(["--help"], home).ended));
      const started = await startMcp(program, home);
      mcp.push(started.ms);
      mcpRss.push(started.rss);
    },
    medians: () => ({ help: median(help), mcp: median(mcp), mcpRss: median(mcpRss) }),
  };
}

/**
 * Creates an empty home folder. If this process runs as root, the user of the database server must be able to enter the
 * folder.
 */
async function newHome(folder: string): Promise<string> {
  const home = await mkdtemp(join(folder, "home-"));
  await chmod(home, 0o711);
  return home;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}

async function startMcp(program: MerkleProgram, home: string): Promise<{ ms: number; rss: number }> {
  const begunAt = performance.now();
  const server = program.start(["mcp"], home);
  try {
    server.write(initializeLine);
    await server.nextLine();
    return { ms: performance.now() - begunAt, rss: await readRss(server.pid) };
  } finally {
    await server.stop();
  }
}

/** Returns the resident set of a Node program that prints a line and waits. */
async function idleNodeRss(): Promise<number> {
  const program = startNode(["-e", 'console.log("there"); process.stdin.resume()']);
  await program.nextLine();
  const rss = await readRss(program.pid);
  await program.stop();
  return rss;
}

const laterTimes = 3;

async function measureUp(program: MerkleProgram, home: string): Promise<UpTimes> {
  async function once(): Promise<number> {
    const begunAt = performance.now();
    const broker = program.start(["up", "--port", "0", "--json"], home);
    try {
      await broker.nextLine();
      return performance.now() - begunAt;
    } finally {
      await broker.stop();
    }
  }
  return { first: await once(), later: await medianOf(laterTimes, once) };
}

/** Measures only the start of the database server. */
async function measurePostgres(home: string): Promise<UpTimes> {
  async function once(): Promise<number> {
    const begunAt = performance.now();
    const server = await startEmbeddedPostgres({ home });
    const took = performance.now() - begunAt;
    await server.stop();
    return took;
  }
  return { first: await once(), later: await medianOf(laterTimes, once) };
}

async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const measured: number[] = [];
  for (let time = 0; time < times; time += 1) measured.push(await measure());
  return median(measured);
}

function short(kind: MerkleProgram["kind"], which: "help" | "mcp", target: Target): Figure<Round> {
  return {
    name: which === "help" ? `merkle --help, ${kind}` : `merkle mcp until initialize is answered, ${kind}`,
    unit: "ms",
    limitName: "empty Node program",
    value: (round) => round[kind][which],
    limit: (round) => round.node,
    // Only the installed package has a target, because it is what people run.
    target: kind === "bundled" ? target : undefined,
  };
}

function up(kind: MerkleProgram["kind"], which: keyof UpTimes, target: Target): Figure<Round> {
  return {
    name: `merkle up, ${which === "first" ? "in a new home" : "later"}, ${kind}`,
    unit: "ms",
    limitName: "its PostgreSQL alone",
    value: (round) => round[kind].up[which],
    limit: (round) => round.postgres[which],
    target,
  };
}

function mcpMemory(kind: MerkleProgram["kind"]): Figure<Round> {
  return {
    name: `merkle mcp, RSS when it has answered, ${kind}`,
    unit: "kB",
    limitName: "a Node program that waits",
    value: (round) => round[kind].mcpRss / 1_000,
    limit: (round) => round.nodeRss / 1_000,
    target: kind === "bundled" ? { valueAtMost: 60_000 } : undefined,
  };
}
