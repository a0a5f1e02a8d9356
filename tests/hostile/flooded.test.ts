import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type BrokerProcess, startBrokerProcess } from "../faults/broker-process.js";
import { putAuditKey } from "../kit/audit-key.js";
import { createCleanup } from "../kit/cleanup.js";
import { createTestDatabase } from "../kit/test-database.js";

/**
 * The six kinds of floods. Each is sent from one address to a broker in a separate process, while other clients use the
 * broker. Needs Linux (/proc and 127.0.0.2).
 */

const attacks = [
  "stopped-readers",
  "fragments",
  "compression-bombs",
  "upgrades",
  "slow-requests",
  "requests",
] as const;

/** The flooding requests come through a trusted proxy, each from a different address. */
const proxy = "127.0.0.2";
/** How many posts and visits other clients make during the flood. */
const [posts, visits] = [30, 15];
/** A small part of the memory that each flood would use without limits. */
const grownBytesMax = 512 * 1024 * 1024;
const script = fileURLToPath(new URL("flood-child.mjs", import.meta.url));

describe("a broker that is flooded", { tags: "linux" }, () => {
  const cleanup = createCleanup();
  let broker: BrokerProcess;
  let session = "";
  let standing: MerkleClient;
  let team = "";
  let before = 0;

  beforeAll(async () => {
    const databaseUrl = await createTestDatabase(cleanup);
    const home = await mkdtemp(join(tmpdir(), "merkle-flooded-"));
    cleanup(() => rm(home, { recursive: true, force: true }));
    await putAuditKey(home);
    const deaths: string[] = [];
    const options = {
      trustedProxies: [proxy],
      auth: "open",
      insecureOpen: true,
      // Lower than usual, so that the flood soon exceeds it.
      rateLimits: { address: { per_second: 100, burst: 1_000 } },
    } as const;
    broker = await startBrokerProcess({ home, databaseUrl, options }, (how) => deaths.push(how));
    cleanup(async () => {
      await broker.stop();
      expect(deaths).toEqual([]);
    });
    standing = connect({ url: broker.url, WebSocket: comingFrom("192.0.2.1") });
    cleanup(() => standing.close());
    const made = await standing.call("create_session", { title: "Flooded", creator_team_name: "Birch" });
    session = made.session_id;
    team = made.team_id;
    before = (await readMemory(broker.pid)).now;
  });

  const post = () =>
    standing.call("post_message", {
      session_id: session,
      team_id: team,
      content: { text: "x".repeat(16_000) },
    });

  async function visit(): Promise<void> {
    const visitor = connect({ url: broker.url, WebSocket: comingFrom("192.0.2.2") });
    await visitor.call("list_sessions", {});
    await visitor.close();
  }

  /** Posts over the existing connection, and makes calls over new connections. */
  async function work(): Promise<void> {
    await Promise.all([repeat(posts, post), repeat(visits, visit)]);
  }

  it.for(attacks)(
    "[GUARD-22] with %s stays up and bounded, and serves others meanwhile and after",
    async (attack) => {
      const attacker = await startAttack({ attack, port: Number(new URL(broker.url).port), session });
      await work();
      expect(attacker.exitCode, "the attack went on all the while").toBe(null);
      await end(attacker);
      await work();
      const memory = await readMemory(broker.pid);
      expect(memory.peak - before, "bytes that it grew by").toBeLessThan(grownBytesMax);
      // The broker serves the attacker's address again as soon as the rate limit allows.
      await expect.poll(async () => (await fetch(new URL("/health", broker.url))).status).toBe(200);
      await expect.poll(async () => readSockets(broker.url)).toBe(1);
    },
  );
});

/** Starts an attack. Resolves when it has begun. */
async function startAttack(flood: object): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, JSON.stringify(flood)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => end(child));
  if (child.stdout) await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < times; count += 1) await work();
}

async function readMemory(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

async function readSockets(url: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", url), { headers: { connection: "close" } })).text();
  return Number(/^merkle_sockets (\d+)$/m.exec(text)?.[1]);
}

function comingFrom(address: string) {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, { localAddress: proxy, headers: { "x-forwarded-for": address } });
    }
  };
}
