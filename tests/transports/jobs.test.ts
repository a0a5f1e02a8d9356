import { type Database, openDatabase, recordJobResult } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
let broker: TestBroker;
let rest: TransportClient;
let database: Database;
let session: TestSession;

beforeAll(async () => {
  broker = await startTestBroker(
    { agent: { ...fake.agent, maxConcurrentJobs: 2, timeoutsMs: { conclude: 60_000 } } },
    cleanup,
  );
  rest = await brokerTransports.rest(broker.url);
  database = await openDatabase({ target: broker.databaseUrl });
  cleanup(database.close);
});

beforeEach(async () => {
  session = await createTestSession(rest);
});

const start = ({ sessionId, convener }: TestSession = session, transport = rest) =>
  transport.call("start_job", { kind: "conclude", session_id: sessionId, team_id: convener });
const get = (job_id: number, transport = rest) => transport.call("get_job", { job_id });
const statusOf = (job_id: number) => expect.poll(async () => (await get(job_id)).status);

async function startAndRun(of: TestSession = session): Promise<{ job_id: number; run: FakeRun }> {
  const { job_id } = await start(of);
  const run = await fake.next();
  expect(run.job.job_id).toBe(job_id);
  return { job_id, run };
}

/** Records a job's result as a write by the agent would, in the transaction that creates a proposal. */
const produce = (job_id: number, fence = 1) =>
  database.transaction((tx) =>
    recordJobResult(tx, { meshId: database.meshId, number: job_id, fence }, { kind: "proposal", id: 9 }),
  );

/** Connects with only the credential of a job's agent. */
const asAgent = (run: FakeRun) => brokerTransports.rest(broker.url, { token: run.job.credential });

describe("a job", () => {
  itOnOneBroker("an agent is given the address of the node that runs it")(
    "[JOB-1] [JOB-11] is queued, run with what its agent has to know, and ends with what it made",
    async () => {
      await session.post(session.convener, "hello");
      const { run, job_id } = await startAndRun();
      expect(run.job).toMatchObject({
        kind: "conclude",
        label: String(job_id),
        timeout_ms: 60_000,
        broker_url: broker.url,
        credential: expect.stringMatching(/^mkj_[\w-]{43}$/),
      });
      expect(run.job.parameters).toEqual({
        Session: session.slug,
        "Session ID": session.sessionId,
        "Document version": "0",
        "Last message": "1",
      });
      expect(await get(job_id)).toMatchObject({
        status: "running",
        session: session.slug,
        started_by: "Atlas",
        completed_at: null,
        message: null,
      });
      expect(await produce(job_id)).toBe(true);
      run.end({ exit_code: 0 });
      await statusOf(job_id).toBe("succeeded");
      expect(await get(job_id)).toMatchObject({
        exit_code: 0,
        error_tail: null,
        message: null,
        result: { kind: "proposal", id: 9 },
      });
      const lines = broker.logged.map((line) => JSON.parse(line)).filter((line) => line.job_id === job_id);
      expect(lines).toMatchObject([
        { message: "job started", kind: "conclude", source: `session ${session.sessionId}` },
        { message: "job ended", status: "succeeded", exit_code: 0, duration_ms: expect.any(Number) },
      ]);
    },
  );

  it("[JOB-2] is the only one in flight for its document, whoever asks at the same moment", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => start()));
    const started = outcomes.filter((each) => each.status === "fulfilled");
    const refused = outcomes.filter((each) => each.status === "rejected").map((each) => each.reason);
    expect(started).toHaveLength(1);
    const run = await fake.next();
    for (const error of refused) {
      expect(error).toMatchObject({ code: "conflict", details: { job_id: run.job.job_id } });
    }
    run.end({ exit_code: 1 });
    await statusOf(run.job.job_id).toBe("failed");
    (await startAndRun()).run.end({ exit_code: 1 });
  });

  itOnOneBroker("each node has places of its own")(
    "[JOB-3] waits for a place, and the one that has waited longest gets it",
    async () => {
      const sessions = [session, ...(await Promise.all([1, 2, 3].map(() => createTestSession(rest))))];
      const ids: number[] = [];
      for (const each of sessions) ids.push((await start(each)).job_id);
      const first = [await fake.next(), await fake.next()];
      // Both jobs have a slot at the same time, so either agent may start first.
      first.sort((a, b) => a.job.job_id - b.job.job_id);
      expect(first.map(({ job }) => job.job_id)).toEqual(ids.slice(0, 2));
      expect(await Promise.all(ids.map(async (id) => (await get(id)).status))).toEqual([
        "running",
        "running",
        "queued",
        "queued",
      ]);
      for (const [index, run] of first.entries()) {
        run.end({ exit_code: 1 });
        const next = await fake.next();
        expect(next.job.job_id).toBe(ids[index + 2]);
        next.end({ exit_code: 1 });
      }
      for (const id of ids) await statusOf(id).toBe("failed");
    },
  );

  it("[JOB-4] is listed, newest first, the last 20 unless told", async () => {
    const list = async (limit?: number) => {
      const { jobs } = await rest.call("list_jobs", { session_id: session.slug, ...(limit && { limit }) });
      return jobs.map(({ job_id }) => job_id);
    };
    const count = limits.jobsListedMax + 2;
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, created_at, completed_at)
      SELECT ${database.meshId}, 1000 + n, 'conclude', ${session.sessionId}, 'Atlas', 'cancelled', now(), now()
      FROM generate_series(1, ${count}) n`;
    const ids = Array.from({ length: count }, (_each, index) => 1_000 + count - index);
    expect(await list()).toEqual(ids.slice(0, limits.jobsListedDefault));
    expect(await list(limits.jobsListedMax)).toEqual(ids.slice(0, limits.jobsListedMax));
    expect(await expectFailure(list(limits.jobsListedMax + 1))).toMatchObject({ code: "bad_request" });
    const { jobs } = await rest.call("list_jobs", { limit: 1 });
    expect(jobs.map(({ job_id }) => job_id)).toEqual(ids.slice(0, 1));
  });

  it("[JOB-1] is refused to strangers, to other sessions' teams, and where there is no such thing", async () => {
    const { sessionId: session_id, convener: team_id } = session;
    const other = await createTestSession(rest);
    const call = (more: object) =>
      expectFailure(
        rest.callRaw("start_job", { kind: "conclude", session_id, team_id, ...more }).then(String),
      );
    expect(await call({ team_id: undefined })).toMatchObject({ code: "unauthorized" });
    expect(await call({ team_id: other.convener })).toMatchObject({ code: "bad_request" });
    expect(await call({ session_id: "no-such" })).toMatchObject({ code: "not_found" });
    expect(await call({ kind: "incorporate", topic_id: 7 })).toMatchObject({ code: "not_found" });
    expect(await call({ kind: "perspective", persona_name: "Nobody" })).toMatchObject({ code: "not_found" });
    for (const bad of [
      { kind: "rewrite" },
      { kind: "incorporate" },
      { kind: "perspective" },
      { topic_id: 1 },
      { kind: "incorporate", topic_id: 1, persona_name: "Sceptic" },
    ])
      expect(await call(bad)).toMatchObject({ code: "bad_request" });
    expect(await expectFailure(get(999_999))).toMatchObject({ code: "not_found" });
  });

  it("[JOB-5] is at its routes below /api/agent/jobs", async () => {
    const at = (path: string, init?: RequestInit) => fetch(new URL(path, broker.url), init);
    const started = await at("/api/agent/jobs", {
      method: "POST",
      headers: { "content-type": "application/json", "x-team-id": session.convener },
      body: JSON.stringify({ kind: "conclude", session_id: session.slug }),
    });
    const { job_id } = Object(await started.json());
    expect(started.status).toBe(200);
    (await fake.next()).end({ exit_code: 1, error_tail: "no" });
    await statusOf(job_id).toBe("failed");
    expect(await (await at(`/api/agent/jobs/${job_id}`)).json()).toMatchObject({ job_id, error_tail: "no" });
    const listed = await at(`/api/agent/jobs?session_id=${session.slug}`);
    expect(await listed.json()).toMatchObject({ jobs: [{ job_id }] });
    expect((await at("/api/agent/jobs/x")).status).toBe(400);
  });
});

describe("a job that fails", () => {
  const said = "boom\n\u001b[31mred";

  it.each([
    [
      "its program cannot be started",
      { exit_code: null, error: { reason: "unreachable", message: "spawn claude ENOENT" } },
      { status: "failed", exit_code: null, error_tail: "agent unreachable: spawn claude ENOENT" },
      "Agent is unreachable. Check that claude is installed.",
    ],
    [
      "it exits with another code than 0",
      { exit_code: 3, error_tail: said },
      { status: "failed", exit_code: 3, error_tail: said },
      "Agent failed with exit code 3. See its log.",
    ],
    [
      "it exits with 0 and has made nothing",
      { exit_code: 0 },
      { status: "failed", exit_code: 0, error_tail: "agent exited 0 but produced no proposal" },
      "Agent finished without producing a proposal. Retry.",
    ],
    [
      "it has too many processes",
      { exit_code: 137, error_tail: said, error: { reason: "overgrown", message: "it had more than 9" } },
      { status: "failed", exit_code: 137, error_tail: `it had more than 9\n${said}` },
      "Agent was stopped: it started too many processes.",
    ],
  ] as const)(
    "[JOB-9] because %s says so, to programs and to people",
    async (_why, result, stored, message) => {
      const { job_id, run } = await startAndRun();
      run.end(result);
      await statusOf(job_id).toBe("failed");
      expect(await get(job_id)).toMatchObject({ ...stored, message, result: null });
    },
  );
});

describe("cancelling", () => {
  const cancel = (job_id: number) => rest.call("cancel_job", { job_id, team_id: session.convener });

  it("[JOB-6] ends a running job at once, and its agent soon after; what that writes comes too late", async () => {
    const { job_id, run } = await startAndRun();
    expect(await cancel(job_id)).toMatchObject({ status: "cancelled", message: null, error_tail: null });
    expect(await produce(job_id)).toBe(false);
    expect(run.signal.aborted).toBe(true);
    expect(await expectFailure((await asAgent(run)).call("get_job", { job_id }))).toMatchObject({
      code: "unauthorized",
    });
    // The cancelled job's slot is free, so the next job starts.
    const next = await startAndRun();
    next.run.end({ exit_code: 1 });
    await statusOf(next.job_id).toBe("failed");
    expect(await get(job_id)).toMatchObject({ status: "cancelled", exit_code: null });
    expect(await expectFailure(cancel(job_id))).toMatchObject({
      code: "conflict",
      details: { status: "cancelled" },
    });
  });

  it("[JOB-6] ends a queued job, which is never run; another session's team cannot", async () => {
    const [one, two, other] = await Promise.all([1, 2, 3].map(() => createTestSession(rest)));
    if (!one || !two || !other) throw new Error("There are no sessions.");
    const busy = [await startAndRun(one), await startAndRun(two)];
    const { job_id } = await start();
    const begun = fake.begun;
    const asOther = rest.call("cancel_job", { job_id, team_id: other.convener });
    expect(await expectFailure(asOther)).toMatchObject({ code: "bad_request" });
    expect(await cancel(job_id)).toMatchObject({ status: "cancelled", started_at: null });
    for (const { run } of busy) run.end({ exit_code: 1 });
    for (const { job_id: id } of busy) await statusOf(id).toBe("failed");
    (await startAndRun()).run.end({ exit_code: 1 });
    expect(fake.begun).toBe(begun + 1);
  });
});

describe("a job's credential", () => {
  it("[JOB-12] reads the job's own session and nothing else, writes nothing that is not the job's, and ends with it", async () => {
    const { sessionId: session_id, convener: team_id } = session;
    await session.post(team_id, "hello");
    const other = await createTestSession(rest);
    const { job_id, run } = await startAndRun();
    const agent = await asAgent(run);
    expect((await agent.call("get_history", { session_id })).messages).toHaveLength(1);
    expect(await agent.call("read_session_doc", { session_id })).toMatchObject({ version: 0 });
    expect(await agent.call("get_job", { job_id })).toMatchObject({ status: "running" });

    const refusals = {
      "another session": agent.call("get_history", { session_id: other.sessionId }),
      "a list of sessions": agent.call("list_sessions", {}),
      memory: agent.call("recall", { query: "x" }),
      "a post, even with a team's credential": agent.call("post_message", {
        session_id,
        team_id,
        content: { text: "x" },
      }),
      "a join": agent.call("join_session", { session_id, team_name: "Sneaky" }),
      "a job of its own": agent.call("start_job", { kind: "conclude", session_id, team_id }),
      "another job": agent.call("get_job", { job_id: job_id - 1 || 999 }),
      settings: agent.call("get_settings", {}),
    };
    const codes = Object.entries(refusals).map(async ([what, call]) => [
      what,
      (await expectFailure(call)).code,
    ]);
    expect(Object.fromEntries(await Promise.all(codes))).toEqual({
      ...Object.fromEntries(Object.keys(refusals).map((what) => [what, "forbidden"])),
      "another session": "not_found",
    });
    for (const path of ["/api/tickets", "/api/sign-out"]) {
      const headers = { authorization: `Bearer ${run.job.credential}`, "content-type": "application/json" };
      await fetch(new URL(path, broker.url), { method: "POST", headers, body: "{}" }).then((answer) =>
        expect(answer.headers.get("set-cookie") ?? "").not.toMatch(/=mk/),
      );
    }
    const quoted = session.post(team_id, `use ${run.job.credential}`);
    expect(await expectFailure(quoted)).toMatchObject({ code: "bad_request", details: { job_id } });

    run.end({ exit_code: 1 });
    await statusOf(job_id).toBe("failed");
    expect(await expectFailure(agent.call("get_history", { session_id }))).toMatchObject({
      code: "unauthorized",
    });
    const webSocket = brokerTransports.websocket(broker.url, { token: run.job.credential });
    expect(await expectFailure(webSocket)).toBeInstanceOf(MerkleError);
  });
});

describe("what is stored", () => {
  it("[JOB-10] cannot contradict itself", async () => {
    const sql = connectTestDatabase(broker.databaseUrl);
    const { job_id, run } = await startAndRun();
    const refused = [
      "status = 'done'",
      "status = 'queued'",
      "status = 'succeeded', completed_at = now(), lease_until = NULL, secret_hash = NULL",
      "status = 'failed', completed_at = now(), lease_until = NULL, secret_hash = NULL",
      "completed_at = now()",
      "exit_code = 0",
      "kind = 'incorporate'",
      "persona_name = 'Sceptic'",
      "topic_id = 1",
      "lease_until = NULL",
      "secret_hash = NULL",
      "result_kind = 'proposal'",
      "session_id = NULL",
      "path = 'README.md'",
      `error_tail = repeat('é', 2049)`,
    ].map(async (change) => {
      const outcome = await sql.unsafe(`UPDATE jobs SET ${change} WHERE number = ${job_id}`).then(
        () => "taken",
        (error: { code?: string }) => error.code,
      );
      return [change, outcome];
    });
    expect(
      (await Promise.all(refused)).filter(([, outcome]) => outcome !== "23514" && outcome !== "23502"),
    ).toEqual([]);
    run.end({ exit_code: 1 });
    await statusOf(job_id).toBe("failed");
  });
});
