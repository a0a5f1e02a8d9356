import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession, toBareId } from "../kit/session.js";
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

/** Creates a session with a task list, its convener Atlas, and the team Birch. */
async function startList() {
  const session = await createTestSession(transport);
  const { sessionId: session_id } = session;
  const atlas = { session_id, team_id: session.convener };
  const birch = { session_id, team_id: (await session.join("Birch")).credential };
  const add = async (title: string, more: object = {}) =>
    (await transport.call("create_task", { ...atlas, title, ...more })).task;
  return { session, session_id, atlas, birch, add };
}

async function eventsOf({ sessionId }: TestSession, event = "task_changed") {
  const { messages } = await transport.call("get_history", { session_id: sessionId, limit: 500 });
  return messages.filter((each) => each.event === event);
}

async function changesOf(session: TestSession): Promise<[unknown, unknown][]> {
  return (await eventsOf(session)).map(({ content }) => [content["task"], content["change"]]);
}

describe.each(Object.entries(transports))("tasks, by %s", (_name, open) => {
  it("[TASK-1] [TASK-2] [TASK-3] [TASK-10] one is made, listed, claimed, finished, and its history tells of it", async () => {
    const at = await open(broker.url);
    onTestFinished(() => at.close());
    const { sessionId: session_id, convener: team_id } = await createTestSession(at);
    const made = await at.call("create_task", {
      session_id,
      team_id,
      title: "rotate tokens",
      text: "each refresh",
      labels: ["Auth"],
      links: [{ message: 1 }, { section: "Decisions" }],
    });
    expect(made).toMatchObject({
      task: 1,
      state: "open",
      holder: null,
      labels: ["auth"],
      created_by: "Atlas",
    });
    const second = await at.call("create_task", { session_id, team_id, title: "test it", blocked_by: [1] });
    expect(second).toMatchObject({ task: 2, state: "blocked", waits_for: [1] });
    const numbers = async (state: "ready" | "blocked" | "unfinished" | "done" | "all") =>
      (await at.call("list_tasks", { session_id, team_id, state })).tasks.map(({ task }) => task);
    expect(await numbers("ready")).toEqual([1]);
    expect(await numbers("blocked")).toEqual([2]);
    const { task } = await at.call("claim_task", { session_id, team_id });
    expect(task).toMatchObject({ task: 1, state: "claimed", holder: "Atlas", mine: true, fence: 1 });
    expect(await at.call("claim_task", { session_id, team_id, task: 1 })).toMatchObject({
      task: { fence: 1 },
    });
    expect(await at.call("claim_task", { session_id, team_id })).toEqual({ task: null, thread: [] });
    const done = await at.call("finish_task", { session_id, team_id, task: 1, result: "they rotate" });
    expect(done).toMatchObject({ state: "done", holder: "Atlas", result: "they rotate", ready: [2] });
    expect(await numbers("unfinished")).toEqual([2]);
    expect(await numbers("all")).toEqual([1, 2]);
    const { history } = await at.call("get_task", { session_id, task: 1 });
    expect(history.map(({ change, by }) => [change, by])).toEqual(
      ["created", "claimed", "done"].map((change) => [change, "Atlas"]),
    );
  });

  it("[CLAIM-1] [CLAIM-2] [CLAIM-3] a scope is claimed, listed and released", async () => {
    const at = await open(broker.url);
    onTestFinished(() => at.close());
    const { sessionId: session_id, convener: team_id } = await createTestSession(at);
    const claimed = await at.call("claim", {
      session_id,
      team_id,
      scope: "repo:/src/auth/",
      reason: "new tokens",
    });
    expect(claimed).toMatchObject({ claim: 1, scope: "repo:src/auth/**", holder: "Atlas", mine: true });
    expect(claimed).toMatchObject({ read_as: "files", repository: null });
    const { claims, edits } = await at.call("list_claims", { session_id });
    expect(claims).toMatchObject([{ scope: "repo:src/auth/**", reason: "new tokens", shared: false }]);
    expect(edits).toBe("warn");
    expect(await at.call("release", { session_id, team_id, scope: "repo:src/auth/**" })).toEqual({
      released: "repo:src/auth/**",
    });
    expect((await at.call("list_claims", { session_id })).claims).toEqual([]);
  });
});

describe("A task", () => {
  it("[TASK-3] of fifty who ask at once for ten tasks each is given once, and the rest get none", async () => {
    const { session, session_id, add } = await startList();
    for (let count = 0; count < 10; count += 1) await add(`part ${count}`);
    const teams = await Promise.all(Array.from({ length: 50 }, (_, index) => session.join(`Team ${index}`)));
    const claimed = await Promise.all(
      teams.map(({ credential }) => transport.call("claim_task", { session_id, team_id: credential })),
    );
    const numbers = claimed.flatMap(({ task }) => task?.task ?? []);
    expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await changesOf(session)).filter(([, change]) => change === "claimed")).toHaveLength(10);
  });

  it("[TASK-4] one that waits is claimed by nobody: 409 names what it waits for, and it is ready once that is over", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const [first, second] = [await add("a"), await add("b")];
    const last = await add("c", { blocked_by: [first, second], assignee: "Birch" });
    const refused = await expectFailure(transport.call("claim_task", { ...birch, task: last }));
    expect(refused).toMatchObject({ code: "conflict", details: { waits_for: [first, second] } });
    expect(refused.message).toContain("it waits for task 1, task 2");
    await transport.call("claim_task", { ...atlas, task: first });
    await transport.call("finish_task", { ...atlas, task: first });
    expect(await expectFailure(transport.call("claim_task", { ...birch, task: last }))).toMatchObject({
      code: "conflict",
    });
    await transport.call("update_task", { ...atlas, task: second, state: "cancelled", reason: "not needed" });
    expect((await changesOf(session)).at(-1)).toEqual([last, "ready"]);
    const told = await transport.call("check_messages", { ...birch });
    expect(told.messages.map(({ content }) => [content["task"], content["change"]])).toEqual([
      [last, "ready"],
    ]);
    expect(await transport.call("claim_task", { ...birch })).toMatchObject({ task: { task: last } });
    expect(
      await expectFailure(transport.call("create_task", { ...atlas, title: "d", blocked_by: [99] })),
    ).toMatchObject({
      code: "bad_request",
      details: { unknown: [99] },
    });
    expect(session_id).toBe(session.sessionId);
  });

  it("[TASK-4] of two who finish the last two blockers at once, one tells that it is ready", async () => {
    const { session, atlas, birch, add } = await startList();
    for (let round = 0; round < 10; round += 1) {
      const blocked_by = [await add("a"), await add("b")];
      const last = await add("c", { blocked_by });
      const [a = 0, b = 0] = blocked_by;
      await transport.call("claim_task", { ...atlas, task: a });
      await transport.call("claim_task", { ...birch, task: b });
      const finished = await Promise.all([
        transport.call("finish_task", { ...atlas, task: a }),
        transport.call("finish_task", { ...birch, task: b }),
      ]);
      expect(finished.flatMap(({ ready }) => ready)).toEqual([last]);
    }
    expect((await changesOf(session)).filter(([, change]) => change === "ready")).toHaveLength(10);
  });

  it("[TASK-4] a circle is refused", async () => {
    const { atlas, add } = await startList();
    const a = await add("a");
    const b = await add("b", { blocked_by: [a] });
    const c = await add("c", { blocked_by: [b] });
    for (const blocked_by of [[a], [b], [c]])
      expect(
        await expectFailure(transport.call("update_task", { ...atlas, task: a, blocked_by })),
      ).toMatchObject({
        code: "conflict",
      });
  });

  it("[TASK-5] whoever has not claimed it, or whose claim was handed on, is refused and changes nothing", async () => {
    const { session_id, atlas, birch, add } = await startList();
    const task = await add("a");
    expect(await expectFailure(transport.call("finish_task", { ...atlas, task }))).toMatchObject({
      code: "conflict",
    });
    const { task: claimed } = await transport.call("claim_task", { ...birch, task });
    const refused = await expectFailure(transport.call("finish_task", { ...atlas, task }));
    expect(refused).toMatchObject({
      code: "conflict",
      details: { holder: "Birch", fence: 1, state: "claimed" },
    });
    expect(refused.message).toMatch(/Birch has held it since \d{4}/);
    await transport.call("release_task", { ...birch, task, reason: "something else" });
    await transport.call("claim_task", { ...atlas, task });
    expect(
      await expectFailure(transport.call("finish_task", { ...birch, task, fence: claimed?.fence })),
    ).toMatchObject({
      details: { holder: "Atlas", fence: 2 },
    });
    expect(await expectFailure(transport.call("finish_task", { ...atlas, task, fence: 1 }))).toMatchObject({
      code: "conflict",
    });
    expect(await transport.call("finish_task", { ...atlas, task, fence: 2 })).toMatchObject({
      state: "done",
    });
    expect(await expectFailure(transport.call("finish_task", { ...atlas, task }))).toMatchObject({
      code: "conflict",
    });
    expect((await transport.call("list_tasks", { session_id, state: "done" })).tasks).toHaveLength(1);
  });

  it("[TASK-5] [CLAIM-4] [ATT-11] what a peer holds that is gone is handed back with an event and an item, and the next claim ends that", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const task = await add("rotate tokens");
    await transport.call("claim_task", { ...birch, task });
    await transport.call("claim", { ...birch, scope: "repo:src/**" });
    await transport.call("claim_task", { ...atlas, task: await add("kept") });
    await makeGone(session, "Birch");
    await expect.poll(async () => (await eventsOf(session, "claim_changed")).length).toBe(2);
    await expect.poll(async () => (await changesOf(session)).at(-1)).toEqual([task, "handed_back"]);
    const items = (await transport.call("list_attention", { session: session.slug })).items;
    expect(items).toMatchObject([
      { kind: "handed_back", text: "rotate tokens", number: task },
      { kind: "handed_back", text: "repo:src/**", number: null, team: "Birch" },
    ]);
    expect(await expectFailure(transport.call("finish_task", { ...birch, task }))).toMatchObject({
      code: "conflict",
    });
    const told = (await transport.call("check_messages", { ...birch })).messages;
    expect(told.map(({ content }) => content["change"])).toEqual(
      expect.arrayContaining(["handed_back", "handed_back"]),
    );
    expect((await transport.call("list_claims", { session_id })).claims).toEqual([]);
    await transport.call("claim_task", { ...atlas, task });
    const left = (await transport.call("list_attention", { session: session.slug })).items;
    expect(left.map(({ text }) => text)).toEqual(["repo:src/**"]);
    const { tasks } = await transport.call("list_tasks", { session_id, state: "claimed" });
    expect(tasks.map(({ title, holder }) => [title, holder])).toEqual([
      ["rotate tokens", "Atlas"],
      ["kept", "Atlas"],
    ]);
  });

  it("[TASK-5] who leaves gives everything back; what is in review stays with who did it", async () => {
    const { session, birch, atlas, add } = await startList();
    const ana = { session_id: session.sessionId, team_id: (await makePerson(transport, "Ana")).person_id };
    const [task, reviewed] = [await add("a"), await add("b")];
    await transport.call("update_task", { ...ana, task: reviewed, check: { reviewer: "Atlas" } });
    for (const each of [task, reviewed]) await transport.call("claim_task", { ...birch, task: each });
    expect(await transport.call("finish_task", { ...birch, task: reviewed })).toMatchObject({
      state: "in_review",
    });
    await transport.call("leave_session", birch);
    await expect.poll(async () => (await changesOf(session)).at(-1)).toEqual([task, "handed_back"]);
    expect(await transport.call("finish_task", { ...atlas, task: reviewed })).toMatchObject({
      state: "done",
      holder: "Birch",
    });
  });

  it("[TASK-6] a human releases anybody's; an agent only its own", async () => {
    const { session_id, atlas, birch, add } = await startList();
    const task = await add("a");
    await transport.call("claim_task", { ...birch, task });
    expect(await expectFailure(transport.call("release_task", { ...atlas, task }))).toMatchObject({
      code: "conflict",
    });
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    expect(await transport.call("release_task", { ...ana, task, reason: "urgent" })).toMatchObject({
      state: "open",
    });
    const { messages } = await transport.call("check_messages", birch);
    expect(messages.at(-1)?.content).toMatchObject({
      change: "released",
      holder: "Birch",
      reason: "urgent",
      by: "Ana",
    });
  });

  it("[TASK-16] [DELIVER-4] the creator's message can wait while others work on its other tasks, unless it makes one ready", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    const first = await add("a");
    const [blocker, last] = [await add("b"), await add("c")];
    await add("d", { blocked_by: [blocker] });
    for (const task of [first, blocker]) await transport.call("claim_task", { ...birch, task });
    await transport.call("claim_task", { ...cedar, task: last });
    await transport.call("finish_task", { ...birch, task: first });
    await transport.call("finish_task", { ...birch, task: blocker });
    await transport.call("finish_task", { ...cedar, task: last });
    const { messages } = await transport.call("check_messages", atlas);
    const done = messages.filter(({ content }) => content["change"] === "done");
    expect(done.map(({ content, priority }) => [content["task"], priority])).toEqual([
      [first, "low"],
      [blocker, "next"],
      [last, "next"],
    ]);
  });

  it("[TASK-16] of the last two tasks, finished at the same time, one tells the creator at once", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    const claimed = [
      { ...birch, task: await add("a") },
      { ...cedar, task: await add("b") },
    ];
    for (const each of claimed) await transport.call("claim_task", each);
    await Promise.all(claimed.map((each) => transport.call("finish_task", each)));
    const { messages } = await transport.call("check_messages", atlas);
    const done = messages.filter(({ content }) => content["change"] === "done");
    expect(done.map(({ priority }) => priority)).toEqual(["low", "next"]);
  });

  it("[TASK-17] [ATT-15] in review it is a message for its reviewer, who sees that it is and since when it is unanswered", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const task = await add("a");
    await transport.call("update_task", { ...ana, task, check: { reviewer: "cedar" } });
    await transport.call("claim_task", { ...birch, task });
    expect(await transport.call("get_task", { ...cedar, task })).toMatchObject({ to_review: false });
    await transport.call("finish_task", { ...birch, task });
    const { messages } = await transport.call("check_messages", cedar);
    expect(messages.at(-1)).toMatchObject({
      priority: "next",
      content: { task, change: "in_review", reviewer: "cedar", by: "Birch" },
    });
    const read = async (caller: typeof atlas) => {
      const { to_review, unanswered } = await transport.call("get_task", { ...caller, task });
      return { to_review, unanswered };
    };
    expect(await read(cedar)).toEqual({ to_review: true, unanswered: false });
    expect(await read(birch)).toEqual({ to_review: false, unanswered: false });
    expect(await read(atlas)).toEqual({ to_review: false, unanswered: false });
    await sql`UPDATE tasks SET updated_at = updated_at - interval '11 minutes' WHERE session_id = ${session_id}`;
    expect(await read(cedar)).toEqual({ to_review: true, unanswered: true });
    await transport.call("finish_task", { ...cedar, task });
    expect(await read(cedar)).toEqual({ to_review: false, unanswered: false });
  });

  it("[TASK-17] a reviewer named while it is in review gets a message as well", async () => {
    const { session, session_id, birch, add } = await startList();
    const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const task = await add("a");
    await transport.call("update_task", { ...ana, task, check: { reviewer: "Dune" } });
    await transport.call("claim_task", { ...birch, task });
    await transport.call("finish_task", { ...birch, task });
    await transport.call("update_task", { ...ana, task, check: { reviewer: "Cedar" } });
    const { messages } = await transport.call("check_messages", cedar);
    expect(messages.at(-1)).toMatchObject({
      priority: "next",
      content: { task, change: "updated", reviewer: "Cedar" },
    });
  });

  it("[TASK-7] split into parts it waits for them, and is given back", async () => {
    const { birch, add } = await startList();
    const task = await add("all of it", { labels: ["auth"] });
    await transport.call("claim_task", { ...birch, task });
    const split = await transport.call("split_task", {
      ...birch,
      task,
      parts: [{ title: "one" }, { title: "two" }],
    });
    expect(split.parts).toMatchObject([
      { task: 2, labels: ["auth"], state: "open" },
      { task: 3, title: "two" },
    ]);
    expect(split.task).toMatchObject({ state: "blocked", holder: null, waits_for: [2, 3] });
  });

  it("[TASK-8] a check is set by verified humans alone, and without its proof the task stays in review", async () => {
    const { session, session_id, atlas, birch, add } = await startList();
    const check = { command: "npm test" };
    expect(await expectFailure(transport.call("create_task", { ...atlas, title: "a", check }))).toMatchObject(
      {
        code: "forbidden",
      },
    );
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const { task } = await transport.call("create_task", { ...ana, title: "a", check });
    expect(await expectFailure(transport.call("update_task", { ...birch, task, check: null }))).toMatchObject(
      {
        code: "forbidden",
      },
    );
    await transport.call("claim_task", { ...birch, task });
    expect(await transport.call("finish_task", { ...birch, task, result: "ok" })).toMatchObject({
      state: "in_review",
    });
    const failed = { exit_code: 1, tail: "1 failed" };
    expect(await transport.call("finish_task", { ...birch, task, proof: failed })).toMatchObject({
      state: "in_review",
      result: "ok",
      proof: failed,
    });
    expect(await expectFailure(transport.call("finish_task", { ...atlas, task }))).toMatchObject({
      code: "conflict",
    });
    const { items } = await transport.call("list_attention", { session: session.slug });
    expect(items).toMatchObject([{ kind: "in_review", number: task, team: "Birch", text: "a" }]);
    expect(await transport.call("release_task", { ...ana, task, reason: "it fails" })).toMatchObject({
      state: "open",
    });
    await transport.call("claim_task", { ...birch, task });
    const proof = { exit_code: 0, tail: "12 passed" };
    expect(await transport.call("finish_task", { ...birch, task, proof })).toMatchObject({
      state: "done",
      proof,
    });
    const other = await add("b");
    await transport.call("update_task", { ...ana, task: other, check: { reviewer: "atlas" } });
    await transport.call("claim_task", { ...birch, task: other });
    await transport.call("finish_task", { ...birch, task: other });
    expect(
      await expectFailure(
        transport.call("finish_task", { ...birch, task: other }).then((done) => {
          if (done.state === "in_review") throw new Error("stays in review");
        }),
      ),
    ).toMatchObject({ message: "stays in review" });
    expect(await transport.call("finish_task", { ...atlas, task: other })).toMatchObject({ state: "done" });
  });

  it("[TASK-1] it is for a team or a peer, and nobody else is given it", async () => {
    const { session_id, atlas, birch, add } = await startList();
    const task = await add("a", { assignee: "birch" });
    expect(await transport.call("claim_task", atlas)).toEqual({ task: null, thread: [] });
    expect((await expectFailure(transport.call("claim_task", { ...atlas, task }))).message).toContain(
      "it is for Birch",
    );
    for (const assignee of ["@all", "*"])
      expect(
        await expectFailure(transport.call("create_task", { ...atlas, title: "b", assignee })),
      ).toMatchObject({
        code: "bad_request",
      });
    expect(
      await expectFailure(transport.call("create_task", { ...atlas, title: "b", assignee: "Nobody" })),
    ).toMatchObject({
      code: "not_found",
    });
    const { tasks } = await transport.call("list_tasks", { ...birch, mine: true });
    expect(tasks.map((each) => each.task)).toEqual([task]);
    expect(await transport.call("claim_task", birch)).toMatchObject({ task: { task } });
    const { peers } = await transport.call("list_peers", { session_id });
    expect(peers.find(({ team }) => team === "Birch")?.task, "[TASK-11]").toMatchObject({ task, title: "a" });
  });

  it("[TASK-9] one that is over stays as it is, and a claimed one is changed by its holder, its maker or a human", async () => {
    const { session, birch, atlas, add } = await startList();
    const cedar = { session_id: session.sessionId, team_id: (await session.join("Cedar")).credential };
    const task = await add("a");
    await transport.call("claim_task", { ...birch, task });
    expect(await expectFailure(transport.call("update_task", { ...cedar, task, title: "b" }))).toMatchObject({
      code: "conflict",
    });
    expect(await transport.call("update_task", { ...atlas, task, title: "b" })).toMatchObject({ title: "b" });
    await transport.call("finish_task", { ...birch, task });
    expect(await expectFailure(transport.call("update_task", { ...atlas, task, title: "c" }))).toMatchObject({
      code: "conflict",
    });
  });

  it("[TASK-12] each page of a list contains how many tasks match on all pages", async () => {
    const { session_id, add } = await startList();
    for (const title of ["a", "b", "c"]) await add(title, { labels: title === "b" ? [] : ["x"] });
    const first = await transport.call("list_tasks", { session_id, limit: 2 });
    expect(first).toMatchObject({ tasks: [{ task: 1 }, { task: 2 }], next_after: 2, total: 3 });
    const last = await transport.call("list_tasks", { session_id, limit: 2, after: 2 });
    expect(last).toMatchObject({ tasks: [{ task: 3 }], next_after: null, total: 3 });
    expect(await transport.call("list_tasks", { session_id, label: "x" })).toMatchObject({ total: 2 });
    const newest = { session_id, order: "newest", limit: 2 } as const;
    expect(await transport.call("list_tasks", newest)).toMatchObject({
      tasks: [{ task: 3 }, { task: 2 }],
      next_after: 2,
    });
    expect(await transport.call("list_tasks", { ...newest, after: 2 })).toMatchObject({
      tasks: [{ task: 1 }],
      next_after: null,
      total: 3,
    });
    const { person_id: team_id } = await makePerson(transport, "Ana");
    expect(await transport.call("list_tasks", { session_id, team_id, mine: true })).toMatchObject({
      total: 0,
    });
  });

  it("[TASK-18] tasks of all sessions are found by words of their title, text and labels", async () => {
    const { session, add } = await startList();
    const mark = session.slug.replaceAll("-", "");
    await add(`Rotate the Tokens of ${mark}`);
    await add(`Announce it ${mark}`, { text: "100% of the tokens_rotate", labels: ["News"] });
    const find = async (query: string) =>
      (await transport.call("list_all_tasks", { query: `${mark} ${query}` })).tasks.map(({ task }) => task);
    expect(await find("TOKENS")).toEqual([1, 2]);
    expect(await find("tokens rotate")).toEqual([1, 2]);
    expect(await find("news")).toEqual([2]);
    expect(await find("100% s_r")).toEqual([2]);
    expect(await find("1%n")).toEqual([]);
  });

  it("[TASK-12] all that is unfinished is listed across open sessions", async () => {
    const { session, add } = await startList();
    const title = `across ${session.slug}`;
    await add(title);
    const { tasks } = await transport.call("list_all_tasks", { limit: 500 });
    expect(tasks.filter((each) => each.title === title)).toMatchObject([{ session: session.slug, task: 1 }]);
    await transport.call("conclude_session", {
      session_id: session.sessionId,
      team_id: session.convener,
      summary_section: "done",
    });
    const left = await transport.call("list_all_tasks", { limit: 500 });
    expect(left.tasks.filter((each) => each.title === title)).toEqual([]);
    expect(
      await expectFailure(
        transport.call("claim_task", { session_id: session.sessionId, team_id: session.convener }),
      ),
    ).toMatchObject({ code: "session_closed" });
  });

  it("[REDACT-7] what an event said that is removed is removed from its task, too", async () => {
    const { session_id, atlas, add } = await startList();
    const task = await add("the key is hunter2", { text: "hunter2" });
    const { messages } = await transport.call("get_history", { session_id, limit: 500 });
    const sequence = messages.findLast(({ event }) => event === "task_changed")?.sequence ?? 0;
    await transport.call("redact_message", { session_id, team_id: atlas.team_id, sequence, reason: "a key" });
    expect(await transport.call("get_task", { session_id, task })).toMatchObject({
      title: "(removed)",
      text: "",
    });
  });
});

describe("A claim", () => {
  it("[CLAIM-2] what overlaps is refused with who holds it, unless both share", async () => {
    const { atlas, birch } = await startList();
    await transport.call("claim", { ...atlas, scope: "repo:src/auth/**", reason: "tokens" });
    const refused = await expectFailure(transport.call("claim", { ...birch, scope: "repo:**/*.ts" }));
    expect(refused).toMatchObject({ code: "conflict", details: { claims: [{ holder: "Atlas" }] } });
    expect(refused.message).toMatch(/Atlas has held repo:src\/auth\/\*\* since .* \(tokens\)/);
    await transport.call("claim", { ...birch, scope: "repo:docs/**" });
    await transport.call("claim", { ...birch, scope: "deploy" });
    expect(await expectFailure(transport.call("claim", { ...atlas, scope: "deploy" }))).toMatchObject({
      code: "conflict",
    });
    await transport.call("claim", { ...birch, scope: "issue:#12", shared: true });
    await transport.call("claim", { ...atlas, scope: "issue:#12", shared: true });
    await transport.call("claim", { ...atlas, scope: "repo:src/auth/**" });
    for (const scope of ["repo:", "repo:../x", "repo:a//b", "repo:a{b,c}", "repo:a**", " "]) {
      const claimed = transport.call("claim", { ...atlas, scope });
      if (scope === "repo:") expect((await expectFailure(claimed)).code).toBe("conflict");
      else expect((await expectFailure(claimed)).code, scope).toBe("bad_request");
    }
  });

  it("[CLAIM-1] what looks like a path is claimed as files, and lines of a file are refused", async () => {
    const { atlas, birch } = await startList();
    expect(await transport.call("claim", { ...atlas, scope: "src/a.ts" })).toMatchObject({
      scope: "repo:src/a.ts",
      read_as: "files",
    });
    expect(await transport.call("claim", { ...atlas, scope: "deploy" })).toMatchObject({ read_as: "name" });
    expect((await expectFailure(transport.call("claim", { ...birch, scope: "src/a.ts" }))).code).toBe(
      "conflict",
    );
    const refused = await expectFailure(transport.call("claim", { ...birch, scope: "src/b.ts:10-20" }));
    expect(refused.code).toBe("bad_request");
    expect(refused.message).toContain("claims are on whole files, not on lines of one; claim repo:src/b.ts");
    expect(await transport.call("release", { ...atlas, scope: "src/a.ts" })).toEqual({
      released: "repo:src/a.ts",
    });
  });

  it("[CLAIM-1] a claim from before that looks like a path still holds and is released by its name", async () => {
    const { session_id, atlas, birch } = await startList();
    const { claim } = await transport.call("claim", { ...atlas, scope: "src/a.ts" });
    await sql`UPDATE claims SET scope = 'src/a.ts' WHERE session_id = ${session_id} AND number = ${claim}`;
    expect((await expectFailure(transport.call("claim", { ...birch, scope: "src/**" }))).code).toBe(
      "conflict",
    );
    await transport.call("release", { ...atlas, scope: "src/a.ts" });
    await transport.call("claim", { ...birch, scope: "src/**" });
  });

  it("[CLAIM-7] the same files of two repositories do not collide, and those of no named one do with both", async () => {
    const { session_id, atlas, birch } = await startList();
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    const scope = "repo:src/**";
    expect(await transport.call("claim", { ...atlas, scope, repository: one })).toMatchObject({
      repository: one,
    });
    await transport.call("claim", { ...birch, scope, repository: two });
    const elm = { session_id, team_id: (await makePerson(transport, "Elm")).person_id };
    for (const more of [{ repository: one }, { repository: two }, {}])
      expect((await expectFailure(transport.call("claim", { ...elm, scope, ...more }))).code).toBe(
        "conflict",
      );
    const deploy = await transport.call("claim", { ...elm, scope: "deploy", repository: one });
    expect(deploy).toMatchObject({ read_as: "name", repository: null });
    const remote = { ...elm, scope, repository: "github.com/acme/app" };
    expect((await expectFailure(transport.call("claim", remote))).code).toBe("bad_request");
    const { messages } = await transport.call("get_history", { session_id });
    expect(JSON.stringify(messages)).not.toContain(one);
  });

  it("[CLAIM-2] of twenty who claim overlapping files at once, one gets them", async () => {
    const { session, session_id } = await startList();
    const teams = await Promise.all(Array.from({ length: 20 }, (_, index) => session.join(`Team ${index}`)));
    const outcomes = await Promise.allSettled(
      teams.map(({ credential }, index) =>
        transport.call("claim", {
          session_id,
          team_id: credential,
          scope: index % 2 ? "repo:src/**" : "repo:**/*.ts",
        }),
      ),
    );
    const holders = (await transport.call("list_claims", { session_id })).claims;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(holders.length);
    expect(new Set(holders.map(({ scope }) => scope)).size).toBe(1);
    expect(holders).toHaveLength(1);
  });

  it("[CLAIM-3] one with a time ends by itself, and a human ends anybody's", async () => {
    const { session, session_id, atlas, birch } = await startList();
    const { claim } = await transport.call("claim", {
      ...birch,
      scope: "deploy",
      ttl: limits.claimSecondsMin,
    });
    expect(await expectFailure(transport.call("release", { ...atlas, claim }))).toMatchObject({
      code: "conflict",
    });
    await sql`UPDATE claims SET expires_at = now() WHERE session_id = ${session_id}`;
    await transport.call("claim", { ...atlas, scope: "deploy" });
    await expect
      .poll(async () => (await eventsOf(session, "claim_changed")).map(({ content }) => content["change"]), {
        timeout: 120_000,
      })
      .toEqual(["claimed", "claimed", "expired"]);
    const [held] = (await transport.call("list_claims", { session_id })).claims;
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    expect(await transport.call("release", { ...ana, claim: held?.claim ?? 0 })).toEqual({
      released: "deploy",
    });
    expect(await expectFailure(transport.call("release", { ...atlas, scope: "deploy" }))).toMatchObject({
      code: "not_found",
    });
  });

  it("[CLAIM-5] what hooks do is the session's setting, for a verified human to change", async () => {
    const { session_id } = await startList();
    await changeSettings(transport, { session_id, session_settings: { claims: "refuse" } });
    expect((await transport.call("list_claims", { session_id })).edits).toBe("refuse");
  });
});

describe("The limits of tasks and claims", () => {
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "ok",
      (error: { code: string }) => error.code,
    );

  it("[LIMIT-1] what is at its limit is taken, and one above it refused", async () => {
    const { session_id, atlas, add } = await startList();
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const task = await add("a");
    const letters = (size: number) => "x".repeat(size);
    const each = (size: number) => Array.from({ length: size }, (_, index) => index);
    for (let count = task; count <= limits.taskBlockersMax; count += 1) await add("b");
    const create = (more: object) => transport.call("create_task", { ...ana, title: "c", ...more });
    const finish = (more: object) => transport.call("finish_task", { ...ana, task, ...more });
    const claim = (more: object) => transport.call("claim", { ...ana, scope: "deploy", ...more });
    const tried: [keyof typeof limits, (size: number) => Promise<unknown>, string][] = [
      ["taskTextBytesMax", (size) => create({ text: letters(size) }), "payload_too_large"],
      ["taskLabelsMax", (size) => create({ labels: each(size).map(String) }), "bad_request"],
      [
        "taskBlockersMax",
        (size) => create({ blocked_by: each(size).map((index) => index + 1) }),
        "bad_request",
      ],
      [
        "taskLinksMax",
        (size) => create({ links: each(size).map((index) => ({ message: index + 1 })) }),
        "bad_request",
      ],
      ["checkCommandCharsMax", (size) => create({ check: { command: letters(size) } }), "bad_request"],
      [
        "taskPartsMax",
        (size) =>
          transport.call("split_task", { ...atlas, task: 2, parts: each(size).map(() => ({ title: "p" })) }),
        "bad_request",
      ],
      ["tasksPageMax", (limit) => transport.call("list_tasks", { session_id, limit }), "bad_request"],
      ["scopeCharsMax", (size) => claim({ scope: letters(size) }), "bad_request"],
      ["claimSecondsMax", (ttl) => claim({ ttl }), "bad_request"],
    ];
    for (const [name, call, above] of tried) {
      expect([name, await codeOf(call(limits[name] + 1))]).toEqual([name, above]);
      expect([name, await codeOf(call(limits[name]))]).toEqual([name, "ok"]);
    }
    expect(await codeOf(claim({ ttl: limits.claimSecondsMin - 1 }))).toBe("bad_request");
    expect(await codeOf(claim({ ttl: limits.claimSecondsMin }))).toBe("ok");
    const tail = (size: number) => ({ proof: { exit_code: 0, tail: letters(size) } });
    expect(await codeOf(finish(tail(limits.checkTailBytesMax + 1)))).toBe("payload_too_large");
    expect(await codeOf(finish({ result: letters(limits.taskResultBytesMax + 1) }))).toBe(
      "payload_too_large",
    );
    const atMost = { result: letters(limits.taskResultBytesMax), ...tail(limits.checkTailBytesMax) };
    expect(await codeOf(finish(atMost))).toBe("ok");
  });

  it("[LIMIT-1] so many tasks are unfinished and so many things claimed, and no more; a page has its default", async () => {
    const { session_id, atlas, birch, add } = await startList();
    await add("the first");
    const { unfinishedTasksPerSessionMax, claimsPerSessionMax, tasksPageDefault } = limits;
    await sql`
      INSERT INTO tasks (session_id, number, title, text, state, created_by, created_by_peer_id)
      SELECT session_id, n, 'more', '', 'open', created_by, created_by_peer_id
      FROM tasks, generate_series(2, ${unfinishedTasksPerSessionMax - 1}::integer) n WHERE session_id = ${session_id}`;
    await sql`UPDATE sessions SET last_task = ${unfinishedTasksPerSessionMax - 1} WHERE session_id = ${session_id}`;
    await add("the last");
    expect((await expectFailure(add("one too many"))).code).toBe("conflict");
    expect((await transport.call("list_tasks", { session_id })).tasks).toHaveLength(tasksPageDefault);
    await transport.call("claim", { ...birch, scope: "0" });
    await sql`
      INSERT INTO claims (session_id, number, scope, shared, holder, peer_id)
      SELECT session_id, 1 + n, n::text, false, holder, peer_id
      FROM claims, generate_series(1, ${claimsPerSessionMax - 2}::integer) n WHERE session_id = ${session_id}`;
    await sql`UPDATE sessions SET last_claim = ${claimsPerSessionMax} WHERE session_id = ${session_id}`;
    await transport.call("claim", { ...birch, scope: "the last" });
    expect((await expectFailure(transport.call("claim", { ...atlas, scope: "another" }))).code).toBe(
      "conflict",
    );
  });
});

/** Makes a team look absent for longer than its session allows, while the broker is running. */
async function makeGone({ sessionId, convener }: TestSession, team: string): Promise<void> {
  await sql`UPDATE sessions SET settings = settings || '{"claim_grace_s": 1}' WHERE session_id = ${sessionId}`;
  await expect
    .poll(
      async () => {
        // Any call by the other team keeps that team present.
        await transport.call("list_tasks", { session_id: sessionId, team_id: convener });
        await sql`
          UPDATE tasks SET renewed_at = now() + interval '1 hour' FROM peers p
          WHERE tasks.session_id = ${sessionId} AND p.peer_id = holder_peer_id AND p.team_id = ${toBareId(convener)}`;
        const [row] = await sql`
          SELECT count(*)::int AS held FROM tasks t JOIN peers p ON p.peer_id = t.holder_peer_id
          JOIN teams m ON m.team_id = p.team_id WHERE t.session_id = ${sessionId} AND m.name = ${team}`;
        return row?.["held"];
      },
      { timeout: 120_000 },
    )
    .toBe(0);
}
