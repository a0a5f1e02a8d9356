import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@merkle/broker";
import { openDatabase } from "@merkle/db";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../kit/replicated-postgres.js";
import { createTestSession, expectFailure, listTexts, type TestSession } from "../kit/session.js";
import { startOneBroker, type TestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const bus = "postgres";

let servers: ReplicatedPostgres;
let a: TransportClient;
let broker: TestBroker;
let b: TransportClient;
let session: TestSession;

const cleanup = createCleanup();
beforeAll(async () => {
  servers = await startReplicatedPostgres(cleanup);
  const databaseUrl = servers.primaryUrl;
  const first = await startOneBroker({ bus, databaseUrl }, cleanup);
  broker = await startOneBroker({ bus, databaseUrl, databaseReadUrl: servers.replicaUrl }, cleanup);
  a = await brokerTransports.rest(first.url);
  b = await brokerTransports.rest(broker.url);
  session = await createTestSession(a);
});

async function replicaState(): Promise<unknown> {
  return Object(await (await fetch(`${broker.url}/health`)).json()).replica;
}

async function replicaIs(state: string): Promise<void> {
  await expect.poll(replicaState).toBe(state);
}

/** Returns how many reads a server has served. */
async function readsFrom(server: "replica" | "primary"): Promise<number> {
  const text = await (await fetch(`${broker.url}/metrics`)).text();
  return Number(new RegExp(`^merkle_replica_reads_total\\{from="${server}"\\} (\\d+)`, "m").exec(text)?.[1]);
}

let posts = 0;

/** Posts at one node and expects that every kind of read at the other node returns the message immediately. */
async function postAndRead(times: number): Promise<void> {
  const { sessionId: session_id, convener: team_id } = session;
  for (let round = 0; round < times; round += 1) {
    posts += 1;
    const text = `Word${posts} is told`;
    const { cursor } = await session.post(team_id, text);
    const [history, found, timeline] = await Promise.all([
      b.call("get_history", { session_id, limit: 5 }),
      b.call("search", { query: `word${posts}`, kinds: ["message"] }),
      b.call("get_timeline", { session_id, buckets: 10 }),
    ]);
    expect(listTexts(history.messages).at(-1)).toBe(text);
    expect(history.last_sequence).toBe(cursor);
    expect(found.hits.map(({ sequence }) => sequence)).toEqual([cursor]);
    const counted = timeline.lanes.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(posts);
  }
}

describe("[SCALE-4] with a read replica", () => {
  it("histories and searches come from it, and have what another node has just been told", async () => {
    await replicaIs("used");
    const before = await readsFrom("replica");
    await postAndRead(15);
    expect(await readsFrom("replica")).toBeGreaterThan(before);
    // pg_stat_activity shows the last statement of each connection.
    await b.call("get_history", { session_id: session.sessionId });
    const asked = await servers.replica<{ query: string }[]>`
      SELECT query FROM pg_stat_activity WHERE application_name = 'merkle' AND usename = 'reader'`;
    expect(asked.map(({ query }) => query)).toContainEqual(expect.stringMatching(/from "messages"/i));
  });

  it("logs of progress, memories and versions of the document are as fresh", async () => {
    const { sessionId: session_id, convener: team_id } = session;
    for (let round = 1; round <= 3; round += 1) {
      await a.call("log_progress", { projectId: "p", title: `Step ${round}`, content: "Done so." });
      const memory = await a.call("remember", {
        content: `Lesson${round} learnt`,
        session: session_id,
        team_id,
      });
      await a.call("append_to_session_doc", { session_id, team_id, text: `- ${round}` });
      const [logs, listed, recalled, memories, versions] = await Promise.all([
        b.call("search_logs", { projectId: "p", content: "done" }),
        b.call("list_progress", { projectId: "p" }),
        b.call("recall", { query: `lesson${round}` }),
        b.call("list_memory", {}),
        b.call("list_doc_versions", { session_id }),
      ]);
      expect(logs.total).toBe(round);
      expect(listed.entries).toHaveLength(round);
      expect(recalled.memories.map(({ id }) => id)).toEqual([memory.id]);
      expect(memories.memories).toHaveLength(round);
      expect(versions.versions[0]?.version).toBe(round);
    }
  });

  it("while it is behind all comes from the primary, and from it again once it has caught up", async () => {
    await servers.replica`SELECT pg_wal_replay_pause()`;
    const state = () => servers.replica`SELECT pg_get_wal_replay_pause_state() AS state`;
    await expect.poll(async () => (await state())[0]?.["state"]).toBe("paused");
    const before = await readsFrom("primary");
    await postAndRead(6);
    expect((await readsFrom("primary")) - before).toBeGreaterThanOrEqual(18);
    await replicaIs("behind");
    await postAndRead(3);
    await servers.replica`SELECT pg_wal_replay_resume()`;
    await replicaIs("used");
    await postAndRead(5);
  });

  it("a replica that stands still is left for the primary, also by reads under way", async () => {
    const { readOn, end } = readWithoutEnd();
    const thaw = await servers.freeze();
    onTestFinished(thaw);
    await replicaIs("down");
    await readOn();
    await postAndRead(3);
    thaw();
    await replicaIs("used");
    await end();
    await postAndRead(3);
  });

  it("a replica that is killed fails no read, is told by health and log, and is used again when it is back", async () => {
    const { readOn, end } = readWithoutEnd();
    await servers.kill();
    await replicaIs("down");
    await readOn();
    await postAndRead(3);
    await end();
    // A broker starts even if its replica is down.
    await broker.restart();
    expect(await replicaState()).toBe("down");
    await servers.start();
    await replicaIs("used");
    const before = await readsFrom("replica");
    await postAndRead(3);
    expect(await readsFrom("replica")).toBeGreaterThan(before);
    expect(broker.logged.join("\n")).toMatch(
      /the read replica is not used; .*"down".*the read replica is used/s,
    );
  });

  it("what is no replica of the database, or may not be read, stops the start with what to do", async () => {
    const refusal = async (target: string): Promise<string> => {
      const opening = openDatabase({ target: servers.primaryUrl, replica: { target } });
      const opened = await opening.catch((error: Error) => error);
      if (opened instanceof Error) return opened.message;
      // A replica that replies too slowly counts as unavailable, and the broker starts without it.
      await opened.close();
      return refusal(target);
    };
    await servers.primary`CREATE DATABASE other`;
    await servers.primary`CREATE ROLE stranger LOGIN`;
    await replicaHasAll();
    const replica = (change: (url: URL) => void) => {
      const url = new URL(servers.replicaUrl);
      change(url);
      return url.href;
    };
    expect(await refusal(servers.primaryUrl)).toMatch(
      /must point to a streaming replica .* is not in recovery/,
    );
    expect(await refusal(await createTestDatabase())).toMatch(
      /\(database system \d+\), but \S+ is system \d+\./,
    );
    expect(await refusal(replica((url) => (url.pathname = "/other")))).toMatch(
      /is a different database\. Correct it/,
    );
    expect(await refusal(replica((url) => (url.username = "stranger")))).toMatch(/Grant it SELECT/);
    expect(await refusal(replica((url) => (url.username = "nobody")))).toMatch(
      /refused the connection: role "nobody"/,
    );

    const home = await mkdtemp(join(tmpdir(), "merkle-node-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const alone = startBroker({ home, port: 0, databaseReadUrl: servers.replicaUrl });
    expect((await expectFailure(alone)).message).toMatch(/DATABASE_URL is not/);
  });

  it("a replica that was promoted is not read from", async () => {
    await replicaIs("used");
    await servers.replica`SELECT pg_promote()`;
    await postAndRead(5);
    await replicaIs("foreign");
    await postAndRead(5);
  });
});

/** Reads continuously with several readers until `end` is called. A failed read rejects the result of `end`. */
function readWithoutEnd() {
  const ended = new AbortController();
  let reads = 0;
  const readers = Array.from({ length: 4 }, async () => {
    while (!ended.signal.aborted) {
      await b.call("get_history", { session_id: session.sessionId });
      reads += 1;
    }
  });
  return {
    /** Resolves after at least 20 more reads. */
    async readOn() {
      const before = reads;
      await expect.poll(() => reads).toBeGreaterThan(before + 20);
    },
    async end() {
      ended.abort();
      await Promise.all(readers);
    },
  };
}

async function replicaHasAll(): Promise<void> {
  const [end] = await servers.primary`SELECT pg_current_wal_flush_lsn()::text AS lsn`;
  await expect
    .poll(async () => {
      const [row] =
        await servers.replica`SELECT pg_last_wal_replay_lsn() >= ${String(end?.["lsn"])}::pg_lsn AS has`;
      return row?.["has"];
    })
    .toBe(true);
}
