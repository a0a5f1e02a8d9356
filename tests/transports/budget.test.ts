import type { InputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.rest(broker.url);
});

/** Creates a session with the person Ana and a number of agent teams. */
async function gather({ teams = 1, budget }: { teams?: number; budget?: number } = {}) {
  const { person_id: ana } = await makePerson(transport, "Ana");
  const settings = budget === undefined ? {} : { settings: { message_budget: budget } };
  const { session_id } = await transport.call("create_session", { title: "Work", team_id: ana, ...settings });
  const names = Array.from({ length: teams }, (_, index) => `Agent ${index}`);
  const joined = await Promise.all(
    names.map((team_name) => transport.call("join_session", { session_id, team_name })),
  );
  const agents = joined.map(({ team_id }) => team_id);
  const post = (team_id: string, text: string, more: Partial<InputOf<"post_message">> = {}) =>
    transport.call("post_message", { session_id, team_id, content: { text }, ...more });
  /** Returns all messages and events except joins. */
  const history = async () => {
    const { messages } = await transport.call("get_history", { session_id, limit: 500 });
    return messages.filter(({ event }) => event !== "team_joined");
  };
  return {
    session_id,
    ana,
    agents,
    agent: agents[0] ?? "",
    post,
    read: () => transport.call("get_session", { session_id }),
    hold: (more: Partial<InputOf<"hold_session">> = {}) =>
      transport.call("hold_session", { session_id, team_id: ana, ...more }),
    resume: (message_budget?: number) =>
      transport.call("resume_session", {
        session_id,
        team_id: ana,
        ...(message_budget !== undefined && { message_budget }),
      }),
    history,
    events: async () => (await history()).flatMap(({ event }) => event ?? []),
  };
}

/** Awaits concurrent posts. Returns how many were accepted, and the error codes of the refused posts. */
async function race(posts: readonly Promise<unknown>[]) {
  const outcomes = await Promise.allSettled(posts);
  const codes = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  return { taken: outcomes.length - codes.length, codes: new Set(codes) };
}

describe("a message budget", () => {
  it("[BUDGET-1] is kept to the message by fifty posts of ten teams at once, and a human word starts it anew", async () => {
    const { agents, ana, post, read, events } = await gather({ teams: 10, budget: 7 });
    const atOnce = (count: number) =>
      race(Array.from({ length: count }, (_, n) => post(agents[n % 10] ?? "", `post ${n}`)));
    expect(await atOnce(50)).toEqual({ taken: 7, codes: new Set(["budget_spent"]) });
    expect(await read()).toMatchObject({ agent_messages: 7, held: null, settings: { message_budget: 7 } });
    expect(await events(), "[BUDGET-3] however many were refused").toEqual(["budget_spent"]);
    await post(ana, "go on");
    expect((await read()).agent_messages).toBe(0);
    expect(await atOnce(20)).toEqual({ taken: 7, codes: new Set(["budget_spent"]) });
    expect(await events()).toEqual(["budget_spent", "budget_spent"]);
  });

  it("[BUDGET-2] two agents that answer each other for ever stop at it, and the human sees why", async () => {
    const { agents, post, history, resume } = await gather({ teams: 2, budget: 6 });
    const converse = async () => {
      for (let turn = 0; turn < 1_000; turn += 1) {
        const refused = await post(agents[turn % 2] ?? "", `turn ${turn}`).then(
          () => null,
          (error: unknown) => error,
        );
        if (refused) return { turn, refused };
      }
      throw new Error("They did not stop.");
    };
    const { turn, refused } = await converse();
    expect(turn).toBe(6);
    expect(refused).toMatchObject({ code: "budget_spent", details: { budget: 6 } });
    expect((await history()).at(-1)).toMatchObject({
      event: "budget_spent",
      budget: 6,
      from: null,
      to: ["*"],
    });
    await converse();
    expect(await history(), "it is said once").toHaveLength(7);

    expect(await resume()).toEqual({ resumed: true, message_budget: 6 });
    expect((await converse()).turn).toBe(6);
    expect(await resume(8)).toEqual({ resumed: true, message_budget: 8 });
    expect((await converse()).turn).toBe(8);
    expect(await resume(0)).toEqual({ resumed: true, message_budget: 0 });
    for (let more = 0; more < 20; more += 1) await post(agents[0] ?? "", "on and on");
  });

  it("[BUDGET-4] is off by default, set like every setting of a session, and a repeated post costs nothing", async () => {
    const { session_id, agent, post, read } = await gather();
    expect((await read()).settings.message_budget).toBe(0);
    const set = (message_budget: number) =>
      changeSettings(transport, { session_id, session_settings: { message_budget } });
    const keyed = { idempotency_key: "k" };
    const first = await post(agent, "one", keyed);
    await set(2);
    expect(await post(agent, "one", keyed)).toEqual(first);
    const second = await post(agent, "two");
    expect(await expectFailure(post(agent, "three"))).toMatchObject({ code: "budget_spent" });
    expect(await post(agent, "one", keyed), "what was posted stays posted").toEqual(first);
    await set(3);
    expect((await post(agent, "three")).cursor).toBeGreaterThan(second.cursor);
    await set(0);
    await post(agent, "four");
    expect((await read()).agent_messages).toBe(4);
    expect(await expectFailure(set(-1))).toMatchObject({ code: "bad_request" });
    const { session_settings } = await transport.call("get_settings", { session_id });
    expect(session_settings).toMatchObject({ message_budget: 0 });
  });
});

describe("a held session", () => {
  it("[HOLD-2] refuses agents' posts with who holds it and why; reading and humans' words go on", async () => {
    const { session_id, ana, agent, post, hold, resume, read, history } = await gather();
    const before = await post(agent, "before", { idempotency_key: "k" });
    const { held, teams } = await hold({ reason: "Wrong branch" });
    expect({ held, teams }).toMatchObject({ held: { by: "Ana", reason: "Wrong branch" }, teams: 1 });
    const refused = await expectFailure(post(agent, "after"));
    expect(refused).toMatchObject({
      code: "session_held",
      details: { held_by: "Ana", reason: "Wrong branch" },
    });
    expect(await expectFailure(post(agent, "after", { to: "nobody" }))).toMatchObject({
      code: "session_held",
    });
    expect(await post(agent, "before", { idempotency_key: "k" })).toEqual(before);
    expect((await read()).held).toEqual(held);
    await post(ana, "Look at this first");
    const wait = await transport.call("wait_for_messages", { session_id, team_id: agent, timeout: 0 });
    expect(wait.messages.map(({ event, content }) => event ?? content["text"])).toEqual([
      "session_held",
      "Look at this first",
    ]);

    expect(await resume()).toEqual({ resumed: true, message_budget: 0 });
    expect((await read()).held).toBeNull();
    await post(agent, "after");
    const told = (await history()).map(({ event, by, content }) => [event ?? content["text"], by]);
    expect(told).toEqual([
      ["before", undefined],
      ["session_held", "Ana"],
      ["Look at this first", undefined],
      ["session_resumed", "Ana"],
      ["after", undefined],
    ]);
  });

  it("[HOLD-1] is a human's alone to hold and to resume, before anything else is looked at", async () => {
    const { session_id, agent, hold, events } = await gather();
    const attempts = [
      ["hold_session", {}],
      ["hold_session", { reason: 7 }],
      ["resume_session", {}],
      ["resume_session", { message_budget: -1 }],
    ] as const;
    const refusals = async () => {
      for (const [name, input] of attempts) {
        const refused = await expectFailure(
          transport.callRaw(name, { session_id, team_id: agent, ...input }),
        );
        expect(refused, name).toMatchObject({ code: "forbidden", message: expect.stringContaining("human") });
        const stranger = await expectFailure(transport.callRaw(name, { session_id, ...input }));
        expect(stranger, name).toMatchObject({ code: "unauthorized" });
      }
    };
    await refusals();
    await hold();
    await refusals();
    expect(await events()).toEqual(["session_held"]);
  });

  it("[HOLD-3] held again it stays as it is; resumed when nothing is held back, nothing is said", async () => {
    const { session_id, hold, resume, events } = await gather();
    const first = await hold({ reason: "one" });
    const { person_id: ben } = await makePerson(transport, "Ben");
    expect(await hold({ team_id: ben, reason: "two" })).toEqual(first);
    expect(await resume()).toMatchObject({ resumed: true });
    expect(await resume()).toMatchObject({ resumed: false });
    expect(await events()).toEqual(["session_held", "session_resumed"]);
    await transport.call("conclude_session", { session_id, team_id: ben, summary_section: "Done." });
    for (const call of [hold(), resume()]) {
      expect(await expectFailure(call)).toMatchObject({ code: "session_closed" });
    }
  });

  it("[HOLD-4] whatever races with the hold, no agent's message stands between it and the resuming, over a restart too", async () => {
    const { agents, agent, post, hold, resume, history } = await gather({ teams: 5 });
    const racing = () => race(Array.from({ length: 50 }, (_, n) => post(agents[n % 5] ?? "", `post ${n}`)));
    const [raced] = await Promise.all([racing(), hold()]);
    expect([...raced.codes].every((code) => code === "session_held")).toBe(true);
    expect((await racing()).taken).toBe(0);
    await broker.restart();
    expect(await expectFailure(post(agent, "after the restart"))).toMatchObject({ code: "session_held" });
    const [resumed] = await Promise.all([racing(), resume()]);
    await post(agent, "at last");

    const messages = await history();
    const place = (event: string) => messages.findIndex((each) => each.event === event);
    const between = messages.slice(place("session_held") + 1, place("session_resumed"));
    expect(between).toEqual([]);
    expect(messages).toHaveLength(raced.taken + resumed.taken + 3);
  });
});
