import { randomBytes } from "node:crypto";
import {
  claimJob,
  type Database,
  endJob,
  failLostJobs,
  insertJob,
  openDatabase,
  recordJobResult,
  renewJob,
} from "@merkle/db";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
let broker: TestBroker;
let rest: TransportClient;
let database: Database;

// A broker that runs no jobs itself.
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  rest = await brokerTransports.rest(broker.url);
  database = await openDatabase({ target: broker.databaseUrl });
  cleanup(database.close);
});

async function queue() {
  const { sessionId } = await createTestSession(rest);
  return database.transaction((tx) =>
    insertJob(tx, {
      meshId: database.meshId,
      kind: "conclude",
      source: { sessionId, root: null, path: null },
      topicId: null,
      personaName: null,
      startedBy: "Atlas",
    }),
  );
}

const claim = (runningMax = 1) =>
  database.transaction((tx) =>
    claimJob(tx, { runner: "elsewhere", leaseMs: 30_000, secretHash: randomBytes(32), runningMax }),
  );

const nothingMade = { errorTail: "nothing" };
const failed = { status: "failed", failure: "exited", exitCode: 1, errorTail: "" } as const;

describe("a claim", () => {
  it("[JOB-7] is one runner's alone, and only it may end the job or write for it, once", async () => {
    await queue();
    const claims = await Promise.all([1, 2, 3, 4].map(() => claim(9)));
    const [job, ...more] = claims.filter((each) => each !== null);
    if (!job) throw new Error("Nobody got the job.");
    expect(more).toEqual([]);
    const stale = { ...job, fence: job.fence - 1 };
    expect(await renewJob(database.orm, stale, 30_000)).toBe(false);
    expect(await endJob(database.orm, stale, failed, nothingMade)).toBeNull();
    expect(await renewJob(database.orm, job, 30_000)).toBe(true);
    const record = () => database.transaction((tx) => recordJobResult(tx, job, { kind: "proposal", id: 1 }));
    expect([await record(), await record()]).toEqual([true, false]);
    const ends = await Promise.all([
      endJob(database.orm, job, { status: "succeeded", exitCode: 0 }, nothingMade),
      endJob(database.orm, job, failed, nothingMade),
      failLostJobs(database.orm, { exitedRunner: "elsewhere", failure: "restarted", errorTail: "x" }),
    ]);
    expect(ends.flat().filter((each) => each !== null)).toHaveLength(1);
    expect(await renewJob(database.orm, job, 30_000)).toBe(false);
  });

  it("[JOB-7] that was not renewed in time is worth nothing, and the job fails", async () => {
    const sql = connectTestDatabase(broker.databaseUrl);
    await queue();
    const job = await claim();
    if (!job) throw new Error("Nobody got the job.");
    await sql`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE status = 'running'`;
    expect(await renewJob(database.orm, job, 30_000)).toBe(false);
    expect(await endJob(database.orm, job, failed, nothingMade)).toBeNull();
    const record = database.transaction((tx) => recordJobResult(tx, job, { kind: "proposal", id: 1 }));
    expect(await record).toBe(false);
    // The broker notices the expired lease without being restarted.
    await expect
      .poll(async () => (await rest.call("get_job", { job_id: job.number })).message)
      .toBe("Agent failed: its runner disappeared.");
  });

  it("[JOB-3] is never one too many, whoever claims at the same moment", async () => {
    for (let count = 0; count < 5; count++) await queue();
    const claims = await Promise.all([1, 2, 3, 4, 5].map(() => claim(2)));
    expect(claims.filter((each) => each !== null)).toHaveLength(2);
  });
});

describe("a broker that is started again", () => {
  it("[JOB-8] fails what it ran, and runs what was queued", async () => {
    const fake = createFakeRunner();
    const own = await startTestBroker({ agent: fake.agent });
    const transport = await brokerTransports.rest(own.url);
    const [one, two] = [await createTestSession(transport), await createTestSession(transport)];
    const start = ({ sessionId, convener }: typeof one) =>
      transport.call("start_job", { kind: "conclude", session_id: sessionId, team_id: convener });
    const [first, second] = [await start(one), await start(two)];
    const run = await fake.next();
    await own.restart();
    expect(run.signal.aborted).toBe(true);
    expect(await transport.call("get_job", { job_id: first.job_id })).toMatchObject({
      status: "failed",
      error_tail: "server restarted while job in flight",
      message: "Agent failed: server restarted.",
    });
    const next = await fake.next();
    expect(next.job.job_id).toBe(second.job_id);
    next.end({ exit_code: 1 });
  });

  it("[JOB-8] fails at its start what it ran when it was killed; what another runner holds goes on", async () => {
    const fake = createFakeRunner("this home");
    const own = await startTestBroker({ agent: fake.agent });
    const transport = await brokerTransports.rest(own.url);
    const sql = connectTestDatabase(own.databaseUrl);
    const sessions = [await createTestSession(transport), await createTestSession(transport)];
    await own.restartAfter(async () => {
      for (const [index, { sessionId }] of sessions.entries()) {
        await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, created_at, started_at, runner, fence, lease_until, secret_hash)
          SELECT mesh_id, ${index + 1}, 'conclude', ${sessionId}, 'Atlas', 'running', now(), now(),
            ${index === 0 ? "this home" : "another"}, 1, now() + interval '25 seconds', sha256(${String(index)}::bytea) FROM meshes`;
      }
    });
    const { jobs } = await transport.call("list_jobs", {});
    expect(jobs).toMatchObject([
      { job_id: 2, status: "running" },
      { job_id: 1, status: "failed", message: "Agent failed: server restarted." },
    ]);
  });

  it("[JOB-9] an agent that takes too long is ended, and its job timed out", async () => {
    const fake = createFakeRunner();
    const own = await startTestBroker({ agent: { ...fake.agent, timeoutsMs: { conclude: 300 } } });
    const transport = await brokerTransports.rest(own.url);
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    const { job_id } = await transport.call("start_job", { kind: "conclude", session_id, team_id });
    await expect.poll(async () => (await transport.call("get_job", { job_id })).status).toBe("timed_out");
    expect(await transport.call("get_job", { job_id })).toMatchObject({
      exit_code: 143,
      message: expect.stringMatching(/^Agent timed out after \d+s\.$/),
    });
  });
});
