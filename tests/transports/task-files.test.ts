import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  cleanup(() => transport.close());
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

/** Creates a session with its convener Atlas and the team Birch. */
async function startList() {
  const session = await createTestSession(transport);
  const { sessionId: session_id } = session;
  const atlas = { session_id, team_id: session.convener };
  const birch = { session_id, team_id: (await session.join("Birch")).credential };
  const add = async (title: string, files: readonly string[], more: object = {}) =>
    (await transport.call("create_task", { ...atlas, title, files: [...files], ...more })).task;
  const claims = async () =>
    (await transport.call("list_claims", { session_id })).claims.map(({ scope, holder }) => [scope, holder]);
  const claimEvents = async () => {
    const { messages } = await transport.call("get_history", { session_id, limit: 500 });
    const events = messages.filter(({ event }) => event === "claim_changed");
    return events.map(({ content }) => [content["scope"], content["change"], content["by"]]);
  };
  return { session, session_id, atlas, birch, add, claims, claimEvents };
}

describe.each(Object.entries(transports))("a task's files, by %s", (_name, open) => {
  it("[TASK-14] are claimed with the task, and released when it is finished", async () => {
    const at = await open(broker.url);
    onTestFinished(() => at.close());
    const { sessionId: session_id, convener: team_id } = await createTestSession(at);
    const files = ["src/auth/**", "./Makefile", "repo:docs/", "src/auth/**"];
    const made = await at.call("create_task", { session_id, team_id, title: "rotate tokens", files });
    const stored = ["repo:src/auth/**", "repo:Makefile", "repo:docs/**"];
    expect(made.files).toEqual(stored);
    const { task } = await at.call("claim_task", { session_id, team_id });
    expect(task).toMatchObject({ task: 1, state: "claimed", files: stored });
    const { claims } = await at.call("list_claims", { session_id });
    expect(claims.map(({ scope, shared, reason }) => [scope, shared, reason])).toEqual(
      stored.map((scope) => [scope, false, "task 1"]),
    );
    await at.call("finish_task", { session_id, team_id, task: 1, result: "they rotate" });
    expect((await at.call("list_claims", { session_id })).claims).toEqual([]);
  });
});

describe("A task's files", () => {
  it("[TASK-14] of thirty who claim one task at once, one gets it, and its files are claimed once", async () => {
    const { session, session_id, add, claims, claimEvents } = await startList();
    const task = await add("rotate", ["src/a.ts", "src/b.ts"]);
    const teams = await Promise.all(Array.from({ length: 30 }, (_, index) => session.join(`Team ${index}`)));
    const outcomes = await Promise.allSettled(
      teams.map(({ credential }, index) =>
        transport.call("claim_task", {
          ...{ session_id, team_id: credential },
          ...(index % 2 === 0 && { task }),
        }),
      ),
    );
    const holders = outcomes.flatMap((each) => (each.status === "fulfilled" ? (each.value.task ?? []) : []));
    expect(holders).toHaveLength(1);
    const holder = holders[0]?.holder;
    expect(await claims()).toEqual([
      ["repo:src/a.ts", holder],
      ["repo:src/b.ts", holder],
    ]);
    expect(await claimEvents()).toHaveLength(2);
  });

  it("[TASK-14] of many who claim tasks with overlapping files at once, one gets its task", async () => {
    const { session, session_id, add, claims } = await startList();
    const patterns = ["src/**", "**/*.ts", "src/a.ts", "src/?.ts"];
    for (let index = 0; index < 20; index += 1)
      await add(`part ${index}`, [`docs/${index}.md`, patterns[index % 4] ?? ""]);
    const teams = await Promise.all(Array.from({ length: 20 }, (_, index) => session.join(`Team ${index}`)));
    const outcomes = await Promise.allSettled(
      teams.map(({ credential: team_id }, index) =>
        transport.call("claim_task", { session_id, team_id, task: index + 1 }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await claims()).toHaveLength(2);
    const { tasks } = await transport.call("list_tasks", { session_id, state: "claimed" });
    expect(tasks).toHaveLength(1);
  });

  it("[TASK-14] a conflict names who holds which file since when, and nothing is claimed", async () => {
    const { session_id, atlas, birch, add, claims, claimEvents } = await startList();
    const first = await add("first", ["src/auth/**"]);
    await transport.call("claim_task", { ...atlas, task: first });
    const second = await add("second", ["docs/a.md", "**/*.ts"]);
    const refused = await expectFailure(transport.call("claim_task", { ...birch, task: second }));
    expect(refused).toMatchObject({
      code: "conflict",
      details: { task: second, claims: [{ holder: "Atlas", scope: "repo:src/auth/**" }] },
    });
    expect(refused.message).toMatch(
      /Task 2 cannot be claimed: Atlas has held repo:src\/auth\/\*\* since \d{4}-.* \(task 1\)\. Nothing was claimed\./,
    );
    expect(await claims()).toEqual([["repo:src/auth/**", "Atlas"]]);
    expect(await claimEvents()).toHaveLength(1);
    const { tasks } = await transport.call("list_tasks", { session_id, state: "ready" });
    expect(tasks.map(({ task, fence }) => [task, fence])).toEqual([[second, 0]]);
    await transport.call("finish_task", { ...atlas, task: first });
    await transport.call("claim_task", { ...birch, task: second });
  });

  it("[TASK-14] one's own claims are no conflict, and those of other repositories neither", async () => {
    const { atlas, birch, add, claims } = await startList();
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    await transport.call("claim", { ...atlas, scope: "src/**", repository: one });
    const task = await add("first", ["src/a.ts"]);
    expect(
      (await expectFailure(transport.call("claim_task", { ...birch, task, repository: one }))).code,
    ).toBe("conflict");
    expect((await expectFailure(transport.call("claim_task", { ...birch, task }))).code).toBe("conflict");
    await transport.call("claim_task", { ...birch, task, repository: two });
    await transport.call("claim_task", {
      ...atlas,
      task: await add("second", ["src/b.ts"]),
      repository: one,
    });
    await transport.call("finish_task", { ...atlas, task: 2 });
    expect(await claims()).toEqual([
      ["repo:src/**", "Atlas"],
      ["repo:src/a.ts", "Birch"],
    ]);
  });

  it("[TASK-14] without a number, tasks whose files another peer has claimed are passed over", async () => {
    const { atlas, birch, add } = await startList();
    await transport.call("claim", { ...atlas, scope: "src/**" });
    for (let count = 0; count < 3; count += 1) await add("taken", ["src/a.ts"]);
    const free = await add("free", ["docs/**"]);
    const bare = await add("bare", []);
    expect((await transport.call("claim_task", birch)).task?.task).toBe(free);
    expect((await transport.call("claim_task", birch)).task?.task).toBe(bare);
    const refused = await expectFailure(transport.call("claim_task", birch));
    expect(refused).toMatchObject({ code: "conflict", details: { task: 1, claims: [{ holder: "Atlas" }] } });
    expect((await transport.call("claim_task", atlas)).task?.task).toBe(1);
    expect((await transport.call("claim_task", { ...birch, label: "none" })).task).toBeNull();
  });

  it("[LIMIT-1] at most so many tasks are passed over, and a task has at most so many files", async () => {
    const { atlas, birch, add } = await startList();
    await transport.call("claim", { ...atlas, scope: "src/**" });
    for (let count = 0; count < limits.tasksPassedOverMax; count += 1) await add("taken", ["src/a.ts"]);
    await add("free", []);
    expect((await expectFailure(transport.call("claim_task", birch))).code).toBe("conflict");
    await transport.call("update_task", { ...atlas, task: 1, files: [] });
    expect((await transport.call("claim_task", birch)).task?.task).toBe(1);
    expect((await transport.call("claim_task", birch)).task?.task).toBe(limits.tasksPassedOverMax + 1);
    const files = (count: number) => Array.from({ length: count }, (_, index) => `docs/${index}.md`);
    expect((await expectFailure(add("too many", files(limits.taskFilesMax + 1)))).code).toBe("bad_request");
    const most = await add("the most", files(limits.taskFilesMax));
    expect((await transport.call("claim_task", { ...birch, task: most })).task?.files).toHaveLength(
      limits.taskFilesMax,
    );
    for (const file of ["", "../x", "a//b", "a{b,c}", "a**", "src/a.ts:10-20"])
      expect((await expectFailure(add("bad", [file]))).code, file).toBe("bad_request");
  });

  it("[TASK-14] are released with the task however its claim ends, and kept in review", async () => {
    const { session_id, atlas, birch, add, claims } = await startList();
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const take = async (file: string) => {
      const task = await add(file, [file]);
      await transport.call("claim_task", { ...birch, task });
      expect(await claims()).toEqual([[`repo:${file}`, "Birch"]]);
      return task;
    };
    await transport.call("release_task", { ...birch, task: await take("a.ts"), reason: "not mine" });
    expect(await claims()).toEqual([]);
    await transport.call("release", { ...birch, task: await take("b.ts") });
    expect(await claims()).toEqual([]);
    await transport.call("release_task", { ...ana, task: await take("c.ts") });
    expect(await claims()).toEqual([]);
    await transport.call("split_task", { ...birch, task: await take("d.ts"), parts: [{ title: "part" }] });
    expect(await claims()).toEqual([]);
    await transport.call("update_task", { ...atlas, task: await take("e.ts"), state: "cancelled" });
    expect(await claims()).toEqual([]);
    const reviewed = await take("f.ts");
    await transport.call("update_task", { ...ana, task: reviewed, check: { reviewer: "Atlas" } });
    expect(await transport.call("finish_task", { ...birch, task: reviewed })).toMatchObject({
      state: "in_review",
    });
    expect(await claims()).toEqual([["repo:f.ts", "Birch"]]);
    await transport.call("finish_task", { ...atlas, task: reviewed });
    expect(await claims()).toEqual([]);
  });

  it("[TASK-14] a file of two held tasks stays claimed until both are over", async () => {
    const { birch, add, claims } = await startList();
    const tasks = [await add("first", ["src/a.ts", "src/b.ts"]), await add("second", ["src/a.ts"])];
    for (const task of tasks) await transport.call("claim_task", { ...birch, task });
    await transport.call("finish_task", { ...birch, task: 2 });
    expect((await claims()).map(([scope]) => scope).toSorted()).toEqual(["repo:src/a.ts", "repo:src/b.ts"]);
    await transport.call("finish_task", { ...birch, task: 1 });
    expect(await claims()).toEqual([]);
  });

  it("[TASK-14] [TASK-5] a task is handed back with its files: one item, one message, and others can claim both", async () => {
    const { session, session_id, atlas, birch, add, claims, claimEvents } = await startList();
    const task = await add("rotate tokens", ["src/a.ts", "src/b.ts"]);
    await transport.call("claim_task", { ...birch, task });
    await transport.call("leave_session", birch);
    await expect.poll(claims).toEqual([]);
    expect((await claimEvents()).slice(2).toSorted()).toEqual([
      ["repo:src/a.ts", "handed_back", "Merkle"],
      ["repo:src/b.ts", "handed_back", "Merkle"],
    ]);
    const { items } = await transport.call("list_attention", { session: session.slug });
    expect(items).toMatchObject([{ kind: "handed_back", text: "rotate tokens", number: task }]);
    const { messages } = await transport.call("check_messages", atlas);
    expect(messages.map(({ content }) => content["change"])).toEqual([undefined, undefined, "handed_back"]);
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    await transport.call("claim_task", { ...cedar, task });
    expect(await claims()).toEqual([
      ["repo:src/a.ts", "Cedar"],
      ["repo:src/b.ts", "Cedar"],
    ]);
  });

  it("[TASK-14] [IDEM-1] a repeated call claims and finishes once", async () => {
    const { birch, add, claims, claimEvents } = await startList();
    const task = await add("rotate", ["src/a.ts"]);
    const claim = { ...birch, task, idempotency_key: "claim-it-once-1" };
    const [first, again] = [
      await transport.call("claim_task", claim),
      await transport.call("claim_task", claim),
    ];
    expect(again).toEqual(first);
    expect((await transport.call("claim_task", { ...birch, task })).task?.fence).toBe(1);
    expect(await claims()).toHaveLength(1);
    const finish = { ...birch, task, result: "done", idempotency_key: "finish-it-once-1" };
    await transport.call("finish_task", finish);
    expect(await transport.call("finish_task", finish)).toMatchObject({ state: "done", result: "done" });
    expect((await claimEvents()).map(([, change]) => change)).toEqual(["claimed", "released"]);
  });

  it("[TASK-14] change only while the task is open", async () => {
    const { atlas, birch, add } = await startList();
    const task = await add("rotate", ["src/a.ts"]);
    await transport.call("claim_task", { ...birch, task });
    const refused = await expectFailure(
      transport.call("update_task", { ...atlas, task, files: ["src/b.ts"] }),
    );
    expect(refused.code).toBe("conflict");
    expect(refused.message).toContain("The files of task 1 cannot change while Birch holds it.");
    await transport.call("release_task", { ...birch, task });
    expect(await transport.call("update_task", { ...atlas, task, files: ["src/b.ts"] })).toMatchObject({
      files: ["repo:src/b.ts"],
    });
  });

  it("[TASK-14] a session's claims are at most so many, with those of tasks", async () => {
    const { session_id, atlas, birch, add, claims } = await startList();
    await transport.call("claim", { ...atlas, scope: "0" });
    await sql`
      INSERT INTO claims (session_id, number, scope, shared, holder, peer_id)
      SELECT session_id, 1 + n, n::text, false, holder, peer_id
      FROM claims, generate_series(1, ${limits.claimsPerSessionMax - 2}::integer) n WHERE session_id = ${session_id}`;
    await sql`UPDATE sessions SET last_claim = ${limits.claimsPerSessionMax} WHERE session_id = ${session_id}`;
    const two = await add("two", ["src/a.ts", "src/b.ts"]);
    expect((await expectFailure(transport.call("claim_task", { ...birch, task: two }))).code).toBe(
      "conflict",
    );
    await transport.call("claim_task", { ...birch, task: await add("one", ["src/a.ts"]) });
    expect(await claims()).toHaveLength(limits.claimsPerSessionMax);
  });
});

describe("A claimed task", () => {
  it("[TASK-15] comes with what was written about it: linked messages, replies, and reasons of changes", async () => {
    const { session_id, atlas, birch, add } = await startList();
    const say = async (text: string, reply_to?: number, as: typeof atlas = atlas) => {
      const content = { text };
      const { cursor } = await transport.call("post_message", {
        ...as,
        content,
        ...(reply_to && { reply_to }),
      });
      return cursor;
    };
    const linked = await say("Tokens rotate on each refresh.");
    const reply = await say("Also on login?", linked, birch);
    const deeper = await say("Yes.", reply);
    await say("Unrelated.");
    const task = await add("rotate", [], { links: [{ message: linked }] });
    const { history } = await transport.call("get_task", { session_id, task });
    const onTask = await say("The gateway caches tokens for a minute.", history[0]?.sequence);
    await transport.call("claim_task", { ...atlas, task });
    await transport.call("release_task", { ...atlas, task, reason: "needs the gateway's owner" });
    const { thread } = await transport.call("claim_task", { ...birch, task });
    expect(
      thread.map(({ sequence, content }) => content["text"] ?? [sequence > onTask, content["reason"]]),
    ).toEqual([
      "Tokens rotate on each refresh.",
      "Also on login?",
      "Yes.",
      "The gateway caches tokens for a minute.",
      [true, "needs the gateway's owner"],
    ]);
    expect(thread.map(({ sequence }) => sequence).slice(0, 3)).toEqual([linked, reply, deeper]);
  });

  it("[TASK-15] [LIMIT-1] comes with the last messages only", async () => {
    const { session_id, atlas, birch, add } = await startList();
    const task = await add("rotate", []);
    const [created] = (await transport.call("get_task", { session_id, task })).history;
    const say = (text: string) =>
      transport.call("post_message", { ...atlas, content: { text }, reply_to: created?.sequence });
    for (let count = 0; count <= limits.taskThreadMessagesMax; count += 1) await say(`number ${count}`);
    const textsOf = async () => {
      const { thread } = await transport.call("claim_task", { ...birch, task });
      return thread.map(({ content }) => String(content["text"]));
    };
    const texts = await textsOf();
    expect(texts).toHaveLength(limits.taskThreadMessagesMax);
    expect([texts[0], texts.at(-1)]).toEqual(["number 1", `number ${limits.taskThreadMessagesMax}`]);
    await say("x".repeat(limits.taskThreadBytesMax / 2));
    await say("y".repeat(limits.taskThreadBytesMax / 2));
    expect((await textsOf()).map((text) => text[0])).toEqual(["y"]);
  });
});

describe("A worker", () => {
  it("[TASK-16] needs two calls per task: the creator gets the result in one message, the next assignee its turn", async () => {
    const { session, session_id, atlas, birch, add, claims } = await startList();
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    const task = await add("rotate", ["src/a.ts"]);
    const next = await add("test it", ["test/a.ts"], { blocked_by: [task], assignee: "Cedar" });
    const read = async (as: typeof atlas) =>
      (await transport.call("check_messages", as)).messages.map(({ content }) => content);
    for (const each of [atlas, birch, cedar]) await read(each);
    await transport.call("claim_task", { ...birch, task });
    await transport.call("finish_task", { ...birch, task, result: "They rotate, see src/a.ts." });
    expect(await read(atlas)).toMatchObject([
      { event: "task_changed", task, change: "done", by: "Birch", result: "They rotate, see src/a.ts." },
    ]);
    expect(await read(cedar)).toMatchObject([{ event: "task_changed", task: next, change: "ready" }]);
    expect(await read(birch)).toEqual([]);
    expect(await claims()).toEqual([]);
    const { task: claimed } = await transport.call("claim_task", cedar);
    expect(claimed).toMatchObject({ task: next, files: ["repo:test/a.ts"] });
  });
});
