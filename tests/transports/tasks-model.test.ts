import type { Message } from "@merkle/wire";
import { scopesOverlap } from "@merkle/wire/text";
import fc from "fast-check";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { openWebSocket, type TransportClient, transports } from "../kit/transports.js";

const agentsCount = 8;
const tasksCount = 24;

type Step =
  | { readonly do: "next" | "leave" }
  | { readonly do: "claim" | "release" | "finish" | "split" | "cancel"; readonly task: number }
  | { readonly do: "wait"; readonly task: number; readonly after: number };

const task = fc.integer({ min: 1, max: tasksCount });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("next" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("claim" as const), task }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("finish" as const), task }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), task }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("split" as const, "cancel" as const), task }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), task, after: task }) },
);

interface Agent {
  readonly name: string;
  readonly at: { readonly session_id: string; readonly team_id: string };
  gone: boolean;
}

/** Performs one step. Any outcome is valid, including a refusal or a call that a restart cut off. */
async function take(transport: TransportClient, { at }: Agent, step: Step): Promise<unknown> {
  switch (step.do) {
    case "next":
      return transport.call("claim_task", at);
    case "claim":
      return transport.call("claim_task", { ...at, task: step.task });
    case "release":
      return transport.call("release_task", { ...at, task: step.task });
    case "finish":
      return transport.call("finish_task", { ...at, task: step.task });
    case "split":
      return transport.call("split_task", { ...at, task: step.task, parts: [{ title: "a part" }] });
    case "cancel":
      return transport.call("update_task", { ...at, task: step.task, state: "cancelled" });
    case "wait":
      return transport.call("update_task", { ...at, task: step.task, blocked_by: [step.after] });
    case "leave":
      return transport.call("leave_session", at);
  }
}

interface Modelled {
  state: "open" | "claimed" | "done" | "cancelled";
  holder: string | null;
  blockedBy: readonly number[];
}

/** Replays the feed in commit order, and fails on any change that is impossible if there is only one task list. */
function replay(messages: readonly Message[]): Map<number, Modelled> {
  const tasks = new Map<number, Modelled>();
  for (const { content, sequence } of messages.filter(({ event }) => event === "task_changed")) {
    const {
      task: number,
      change,
      by,
      holder,
      blocked_by,
    } = content as {
      task: number;
      change: string;
      by: string;
      holder?: string;
      blocked_by?: number[];
    };
    const at = `#${sequence} ${change} of ${number} by ${by}`;
    if (change === "created") {
      expect(tasks.has(number), at).toBe(false);
      tasks.set(number, { state: "open", holder: null, blockedBy: blocked_by ?? [] });
      continue;
    }
    const known = tasks.get(number);
    if (!known) throw new Error(`${at}: there is no such task`);
    const waits = known.blockedBy.some(
      (each) => !["done", "cancelled"].includes(tasks.get(each)?.state ?? ""),
    );
    const open = { state: "open", holder: null } as const;
    expect(["done", "cancelled"], at).not.toContain(known.state);
    switch (change) {
      case "claimed":
        expect({ ...known, waits }, at).toMatchObject({ ...open, waits: false });
        Object.assign(known, { state: "claimed", holder: by });
        break;
      case "released":
        expect(known, at).toMatchObject({ state: "claimed", holder: by });
        Object.assign(known, open);
        break;
      case "handed_back":
        expect(known, at).toMatchObject({ state: "claimed", holder });
        Object.assign(known, open);
        break;
      case "done":
        expect({ ...known, waits }, at).toMatchObject({ state: "claimed", holder: by, waits: false });
        Object.assign(known, { state: "done" });
        break;
      case "cancelled":
        Object.assign(known, { state: "cancelled", holder: null });
        break;
      case "updated":
        if (blocked_by) Object.assign(known, { blockedBy: blocked_by });
        if (holder !== undefined) Object.assign(known, open);
        break;
      case "ready":
        expect({ ...known, waits }, at).toMatchObject({ state: "open", waits: false });
    }
  }
  return tasks;
}

/** The files of the tasks with these indexes. Some overlap, and a third of the tasks have none. */
const filesOf = (index: number) =>
  [["repo:src/**"], ["repo:src/a.ts", "repo:docs/b.md"], ["repo:docs/**"], ["repo:test/?.ts"], [], []][
    index % 6
  ] ?? [];

/** Replays the claims on files, and fails if two peers hold overlapping ones at the same time. */
function replayClaims(messages: readonly Message[]): [string, string][] {
  const held = new Map<string, { readonly scope: string; readonly holder: string }>();
  for (const { content, sequence } of messages.filter(({ event }) => event === "claim_changed")) {
    const {
      scope,
      change,
      by,
      holder = by,
    } = content as {
      scope: string;
      change: string;
      by: string;
      holder?: string;
    };
    const at = `#${sequence} ${change} of ${scope} by ${by}`;
    const key = `${holder} ${scope}`;
    if (change === "claimed") {
      const others = [...held.values()].filter((each) => each.holder !== by);
      expect(
        others.filter((each) => scopesOverlap(each.scope, scope)),
        at,
      ).toEqual([]);
      held.set(key, { scope, holder: by });
    } else expect(held.delete(key), at).toBe(true);
  }
  return [...held.values()].map(({ scope, holder }): [string, string] => [scope, holder]).toSorted();
}

it("[TASK-13] [TASK-14] [TASK-3] [TASK-5] claims, releases, ends, leavings and restarts at once: one holder at a time, nothing lost, nothing out of order, all told", async () => {
  const broker = await startTestBroker();
  const rest = await transports.rest(broker.url);
  const session = await createTestSession(rest);
  const { sessionId: session_id, convener } = session;
  for (let count = 0; count < tasksCount; count += 1)
    await rest.call("create_task", {
      ...{ session_id, team_id: convener },
      ...{ title: `task ${count + 1}`, files: filesOf(count) },
    });
  const agents: Agent[] = [];
  const join = async () => {
    const name = `Team ${agents.length}`;
    agents.push({ name, at: { session_id, team_id: (await session.join(name)).credential }, gone: false });
  };
  while (agents.length < agentsCount) await join();
  const seed = Number(process.env["MERKLE_SEED"] ?? Date.now() % 1_000_000);
  const scripts = fc.sample(fc.array(step, { minLength: 20, maxLength: 20 }), {
    seed,
    numRuns: 3 * agentsCount,
  });

  for (let round = 0; round < 3; round += 1) {
    // Half of the agents use separate sockets and half use HTTP, so the broker cannot tell which calls belong to the
    // same agent.
    const there = agents.filter(({ gone }) => !gone);
    const ways = await Promise.all(
      there.map(async (agent, index) => ({
        agent,
        transport: index % 2 === 0 ? await openWebSocket(broker.url) : rest,
      })),
    );
    const runs = ways.map(async ({ agent, transport }, index) => {
      for (const each of scripts[round * agentsCount + index] ?? [])
        await take(transport, agent, each).catch(() => undefined);
    });
    if (round === 1) await broker.restart();
    await Promise.all(runs);
    for (const { transport } of ways) if (transport !== rest) await transport.close();
    const [leaver] = there;
    if (leaver) {
      // Its file is free, so there is a task to leave with.
      const files = [`left/${round}.md`];
      await rest.call("create_task", { session_id, team_id: convener, title: "left", files });
      await take(rest, leaver, { do: "next" });
      await take(rest, leaver, { do: "leave" });
      leaver.gone = true;
    }
    await join();
  }

  const listed = async () => (await rest.call("list_tasks", { session_id, state: "all", limit: 500 })).tasks;
  const gone = new Set(agents.filter((agent) => agent.gone).map(({ name }) => name));
  await expect
    .poll(
      async () =>
        (await listed()).filter(({ state, holder }) => state === "claimed" && gone.has(holder ?? "")),
      {
        timeout: 120_000,
      },
    )
    .toEqual([]);
  const messages: Message[] = [];
  for (let after = 0; ; after = messages.at(-1)?.sequence ?? 0) {
    const page = await rest.call("get_history", { session_id, after_cursor: after, limit: 500 });
    messages.push(...page.messages);
    if (page.messages.length < 500) break;
  }
  const model = replay(messages);
  const seen = (await listed()).map(({ task, state, holder }) => [
    task,
    state === "blocked" ? "open" : state,
    state === "claimed" ? holder : null,
  ]);
  expect(seen, `MERKLE_SEED=${seed}`).toEqual(
    [...model].map(([number, { state, holder }]) => [number, state, state === "claimed" ? holder : null]),
  );
  const tasks = await listed();
  const claimed = tasks.flatMap(({ state, holder, files }) =>
    state === "claimed" ? files.map((file): [string, string] => [file, holder ?? ""]) : [],
  );
  const once = new Map(claimed.map((each) => [each.join(" "), each]));
  expect(replayClaims(messages), `MERKLE_SEED=${seed}`).toEqual([...once.values()].toSorted());
  const { claims } = await rest.call("list_claims", { session_id });
  expect(claims.map(({ scope, holder }) => [scope, holder]).toSorted()).toEqual(
    [...once.values()].toSorted(),
  );
  expect(messages.some(({ content }) => content["change"] === "handed_back")).toBe(true);
  // An agent that has left can no longer use its old credential.
  const [leaver] = agents.filter((agent) => agent.gone);
  expect((await expectFailure(rest.call("claim_task", leaver?.at ?? { session_id }))).code).toBe(
    "unauthorized",
  );
});

it("[TASK-4] a claim that waited for a split to end is refused, although it has not seen the parts", async () => {
  const broker = await startTestBroker();
  const rest = await transports.rest(broker.url);
  const session = await createTestSession(rest);
  const at = { session_id: session.sessionId, team_id: session.convener };
  await rest.call("create_task", { ...at, title: "whole" });
  const { credential } = await session.join("Birch");
  const sql = postgres(broker.databaseUrl, { max: 2, onnotice: () => undefined });
  onTestFinished(() => sql.end());

  const claim = await sql.begin(async (split) => {
    await split`INSERT INTO tasks (session_id, number, title, text, state, created_by, created_by_peer_id)
      SELECT session_id, 2, 'part', '', 'open', created_by, created_by_peer_id FROM tasks`;
    await split`UPDATE tasks SET blocked_by = '{2}' WHERE number = 1`;
    const claiming = expectFailure(rest.call("claim_task", { ...at, team_id: credential, task: 1 }));
    await expect
      .poll(
        () =>
          sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      .toHaveLength(1);
    return { claiming };
  });
  expect(await claim.claiming).toMatchObject({ code: "conflict", details: { waits_for: [2] } });
});
