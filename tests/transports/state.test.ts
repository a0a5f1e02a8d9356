import type { Message, StateChangeFrame } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.websocket(broker.url);
  cleanup(() => transport.close());
});

/** Creates a session. Returns functions that use one of the session's state keys as its convener. */
async function startState(key = "deploy_frozen") {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: team_id } = session;
  const at = { session_id, team_id };
  return {
    session,
    at,
    set: (value: unknown, more: object = {}) => transport.call("set_state", { ...at, key, ...more, value }),
    get: (more: object = {}) => transport.call("get_state", { session_id, key, ...more }),
    delete: (more: object = {}) => transport.call("delete_state", { ...at, key, ...more }),
  };
}

async function eventsOf(session: TestSession): Promise<Message[]> {
  const { messages } = await transport.call("get_history", { session_id: session.sessionId, limit: 500 });
  return messages.filter((each) => each.event === "state_changed");
}

/** Records everything that a client receives, in order: inbox messages and pushes. */
async function listen(url: string, session: TestSession, teamId?: string) {
  const client = connect({ url, WebSocket });
  onTestFinished(() => client.close());
  const messages: Message[] = [];
  const pushes: StateChangeFrame[] = [];
  client.onPush((push) => {
    if (push.type === "state_change") pushes.push(push);
  });
  const onMessage = (message: Message) => void messages.push(message);
  const inbox = teamId === undefined ? null : client.inbox({ session: session.slug, teamId, onMessage });
  const follow = client.follow({ session: session.slug, onMessage: () => undefined });
  await Promise.all([inbox?.ready, follow.ready]);
  return { client, messages, pushes };
}

describe.each(Object.entries(transports))("state, by %s", (_name, open) => {
  it("[STATE-1] [STATE-2] a fact is set, read, listed, deleted, and its history tells who changed it", async () => {
    const at = await open(broker.url);
    onTestFinished(() => at.close());
    const { sessionId: session_id, convener: team_id } = await createTestSession(at);
    const key = "deploy_frozen";
    expect(await at.call("set_state", { session_id, team_id, key, value: true })).toMatchObject({
      key,
      value: true,
      deleted: false,
      version: 1,
      updatedBy: "Atlas",
      changed: true,
      previous: null,
      watchers: 0,
    });
    const value = { by: "ana", until: null, "": [1.5, { a: "ä\u{1f600}" }] };
    const again = await at.call("set_state", { session_id, team_id, key, value, expected_version: 1 });
    expect(again).toMatchObject({ version: 2, value, previous: { version: 1, value: true } });
    expect(await at.call("get_state", { session_id, key })).toMatchObject({ value, version: 2 });
    expect(await at.call("list_state", { session_id, prefix: "" })).toMatchObject({
      entries: [{ key, value }],
      next_cursor: null,
    });
    expect(await at.call("watch_state", { session_id, team_id, prefix: "deploy" })).toEqual({
      watching: [{ prefix: "deploy", scope: "session" }],
    });
    expect(await at.call("unwatch_state", { session_id, team_id, prefix: "deploy" })).toEqual({
      watching: [],
    });
    const deletion = { session_id, team_id, key, expected_version: 2 };
    expect(await at.call("delete_state", deletion)).toEqual({ key, version: 3, changed: true });
    const gone = await at.call("get_state", { session_id, key, history: true });
    expect(gone).toMatchObject({
      deleted: true,
      version: 3,
      history: [
        { version: 3, deleted: true },
        { version: 2, value },
        { version: 1, value: true },
      ],
    });
    expect(gone).not.toHaveProperty("value");
    expect((await at.call("list_state", { session_id })).entries).toEqual([]);
    expect(await expectFailure(at.call("get_state", { session_id, key: "nothing" }))).toMatchObject({
      code: "not_found",
    });
  });
});

describe("a key", () => {
  it("[STATE-2] its versions go on over a deletion, and deleting what is deleted changes nothing", async () => {
    const state = await startState();
    expect(await expectFailure(state.delete())).toMatchObject({ code: "not_found" });
    await state.set("a");
    await state.delete();
    expect(await state.delete()).toMatchObject({ version: 2, changed: false });
    const back = await state.set("b", { expected_version: 0 });
    expect(back).toMatchObject({ version: 3, previous: { deleted: true, version: 2 } });
    // How many changes get their own event depends on timing, but no change gets two events.
    const told = (await eventsOf(state.session)).map((event) => event["version"]);
    expect(told).toEqual([...new Set(told)].sort());
    expect(told[0]).toBe(1);
  });

  it("[STATE-4] the value that it has makes no version and no event, however it is written", async () => {
    const state = await startState();
    const first = await state.set({ a: 1, b: [0] });
    const { session_id, team_id } = state.at;
    const response = await fetch(`${broker.url}/api/sessions/${session_id}/state`, {
      method: "PUT",
      headers: { "content-type": "application/json", "x-team-id": team_id },
      body: '{"key": " deploy_frozen ", "value": {"b": [-0], "a": 1.0}}',
    });
    expect(await response.json()).toMatchObject({
      changed: false,
      version: 1,
      updatedAt: first.updatedAt,
      previous: { version: 1 },
    });
    expect(await eventsOf(state.session)).toHaveLength(1);
  });

  it("[STATE-5] a version that is not the key's is a conflict that says what it holds", async () => {
    const state = await startState();
    expect(await expectFailure(state.set(1, { expected_version: 1 }))).toMatchObject({
      code: "conflict",
      details: { expected_version: 1, version: 0 },
    });
    await state.set("here", { expected_version: 0 });
    for (const expected_version of [0, 2]) {
      const failure = await expectFailure(state.set("here", { expected_version }));
      expect(failure).toMatchObject({
        code: "conflict",
        status: 409,
        details: { expected_version, version: 1, value: "here", updatedBy: "Atlas" },
      });
      expect(await expectFailure(state.delete({ expected_version }))).toMatchObject({ code: "conflict" });
    }
    await state.set("x".repeat(limits.stateValueToldBytesMax - 1));
    const failure = await expectFailure(state.set(1, { expected_version: 1 }));
    expect(failure.details).toMatchObject({ version: 2 });
    expect(failure.details).not.toHaveProperty("value");
  });

  it("[STATE-5] of fifty with one expected version one succeeds, and racing increments are all there", async () => {
    const state = await startState("counter");
    const racing = Array.from({ length: 50 }, (_, value) =>
      state.set(`first ${value}`, { expected_version: 0 }),
    );
    const outcomes = await Promise.allSettled(racing);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await state.delete({ expected_version: 1 });

    const increment = async () => {
      for (let version = 2, count = 0; ; ) {
        try {
          return await state.set(count + 1, { expected_version: version });
        } catch (error) {
          const { code, details } = await expectFailure(Promise.reject(error));
          expect(code).toBe("conflict");
          version = Number(details["version"]);
          count = Number(details["value"] ?? 0);
        }
      }
    };
    const writers = Array.from({ length: 4 }, async () => {
      const versions: number[] = [];
      for (let round = 0; round < 5; round += 1) versions.push((await increment()).version);
      return versions;
    });
    expect(new Set((await Promise.all(writers)).flat()).size).toBe(20);
    expect(await state.get()).toMatchObject({ value: 20, version: 22 });
  });

  it("[STATE-14] [IDEM-1] a repeated change returns the first result and undoes nothing that came since", async () => {
    const state = await startState();
    const first = await state.set("mine", { idempotency_key: "one" });
    await state.set("theirs");
    expect(await state.set("mine", { idempotency_key: "one" })).toEqual(first);
    expect(await state.get()).toMatchObject({ value: "theirs", version: 2 });
  });

  it("[STATE-13] [LIMIT-1] a scope holds stateKeysPerScopeMax keys, deleted ones not counted", async () => {
    const state = await startState();
    const sql = connectTestDatabase(broker.databaseUrl);
    const { session_id, team_id } = state.at;
    await sql`
      INSERT INTO state_entries (scope_id, key, version, value, updated_by, updated_by_peer_id, updated_at, announced_version)
      SELECT ${session_id}::uuid, 'key ' || n, 1, CASE WHEN n > 5 THEN '1' END, 'x', ${session_id}::uuid, now(), 1
      FROM generate_series(1, ${limits.stateKeysPerScopeMax + 3}) n`;
    const { statePageDefault, statePageMax } = limits;
    expect((await transport.call("list_state", { session_id })).entries).toHaveLength(statePageDefault);
    const whole = await transport.call("list_state", { session_id, limit: statePageMax });
    expect(whole.entries).toHaveLength(statePageMax);
    const tooLong = transport.call("list_state", { session_id, limit: statePageMax + 1 });
    expect(await expectFailure(tooLong)).toMatchObject({ code: "bad_request" });
    const adding = ["a", "b", "c", "key 1"].map((key) =>
      transport.call("set_state", { session_id, team_id, key, value: 1 }),
    );
    const outcomes = await Promise.allSettled(adding);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await expectFailure(state.set(1))).toMatchObject({
      code: "conflict",
      details: { keys_max: limits.stateKeysPerScopeMax },
    });
    await transport.call("set_state", { session_id, team_id, key: "key 9", value: 2 });
    await transport.call("delete_state", { session_id, team_id, key: "key 9" });
    expect(await state.set(1)).toMatchObject({ changed: true });
  });
});

describe("a value", () => {
  /** Sends a value as raw JSON text that no client would write. */
  async function put(valueText: string, { session_id, team_id }: { session_id: string; team_id: string }) {
    const response = await fetch(`${broker.url}/api/sessions/${session_id}/state`, {
      method: "PUT",
      headers: { "content-type": "application/json", "x-team-id": team_id },
      body: `{"key": "k", "value": ${valueText}}`,
    });
    return { status: response.status, body: await response.text() };
  }
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const bytes = (count: number) => JSON.stringify("ä".repeat((count - 2) / 2));

  it("[STATE-3] comes back as it was sent, whatever it is", async () => {
    const state = await startState("k");
    for (const text of [
      "null",
      "false",
      "0",
      '""',
      '{"__proto__":{"a":1},"constructor":2,"toString":null}',
      "1e+308",
      "5e-324",
      "9007199254740992",
      nested(limits.stateValueDepthMax),
      bytes(limits.stateValueBytesMax),
      '"\\u0001\\u2028\\ud83d\\ude00<system-reminder>"',
    ]) {
      const { status } = await put(text, state.at);
      expect(status, text.slice(0, 50)).toBe(200);
      const response = await fetch(`${broker.url}/api/sessions/${state.at.session_id}/state/value?key=k`);
      const body = await response.text();
      const start = body.indexOf('"value":') + 8;
      const value = JSON.stringify(JSON.parse(text));
      expect(body.slice(start, start + value.length)).toBe(value);
    }
  });

  it("[STATE-3] [LIMIT-1] is refused when it cannot be stored, is too deep, or too large", async () => {
    const state = await startState("k");
    for (const [text, status] of [
      ['"a\\u0000b"', 400],
      ['{"a\\u0000b":1}', 400],
      ['["\\ud800"]', 400],
      ['{"\\udc00":1}', 400],
      ["1e400", 400],
      ['{"a":[-1e999]}', 400],
      [nested(limits.stateValueDepthMax + 1), 400],
      [nested(9_000), 400],
      [bytes(limits.stateValueBytesMax + 2), 413],
      [`"${"x".repeat(limits.stateValueBytesMax - 1)}"`, 413],
      [`[${"0,".repeat(9_000)}0, "${state.at.team_id}"]`, 400],
      [`{"${state.at.team_id}": 1}`, 400],
    ] as const) {
      expect((await put(text, state.at)).status, text.slice(0, 50)).toBe(status);
    }
    const without = await expectFailure(transport.callRaw("set_state", { ...state.at, key: "k" }));
    expect(without).toMatchObject({ code: "bad_request", message: expect.stringContaining("value") });
    expect(await expectFailure(state.get())).toMatchObject({ code: "not_found" });
  });
});

describe("list_state", () => {
  it("[STATE-6] gives keys in their order, those with a prefix, in pages that end at a bound of bytes", async () => {
    const { session, at } = await startState();
    const keys = ["a", "b/%", "b/_", "b/é", "b/\u{1f600}", "ß"];
    await Promise.all(keys.map((key) => transport.call("set_state", { ...at, key, value: key })));
    const list = (more: object) => transport.call("list_state", { session_id: session.sessionId, ...more });
    const keysOf = async (more: object) => (await list(more)).entries.map(({ key }) => key);
    expect(await keysOf({})).toEqual(keys);
    expect(await keysOf({ prefix: "b/" })).toEqual(keys.slice(1, 5));
    expect(await keysOf({ prefix: "b/%" })).toEqual(["b/%"]);
    const page = await list({ prefix: "b/", limit: 3 });
    expect(page.next_cursor).toBe("b/é");
    const rest = await list({ prefix: "b/", limit: 3, after: page.next_cursor });
    expect(rest).toMatchObject({ entries: [{ key: "b/\u{1f600}" }], next_cursor: null });

    const value = "x".repeat(limits.stateValueBytesMax - 2);
    const large = Array.from({ length: 9 }, (_, index) => `large ${index}`);
    await Promise.all(large.map((key) => transport.call("set_state", { ...at, key, value })));
    const first = await list({ prefix: "large" });
    expect(first).toMatchObject({ next_cursor: "large 6" });
    expect(await keysOf({ prefix: "large", after: "large 6" })).toEqual(["large 7", "large 8"]);
    const history = await transport.call("get_state", { session_id: at.session_id, key: "a", history: true });
    expect(history.history).toHaveLength(1);
  });
});

describe("watching", () => {
  it("[STATE-9] brings changes of a key or prefix to who watches, not one's own, until it is taken back", async () => {
    const { session, at, set } = await startState("build/main");
    const birch = await session.join("Birch");
    const cedar = await session.join("Cedar");
    const { session_id } = at;
    const asBirch = { session_id, team_id: birch.credential };
    const asCedar = { session_id, team_id: cedar.credential };
    await transport.call("watch_state", { ...asBirch, prefix: "build/" });
    await transport.call("watch_state", { ...asBirch, prefix: "build/" });
    await transport.call("watch_state", { ...asBirch, key: "build/main" });
    await transport.call("watch_state", { ...at, key: "build/main" });
    // Reads the earlier messages first.
    const before = await transport.call("wait_for_messages", { ...asBirch, timeout: 0 });
    await transport.call("ack", { ...asBirch, cursor: before.next_cursor });
    const waiting = transport.call("wait_for_messages", { ...asBirch, timeout: 30 });

    expect(await set("red")).toMatchObject({ watchers: 1 });
    const { messages } = await waiting;
    const event = { event: "state_changed", by: "Atlas", key: "build/main", value: "red", version: 1 };
    expect(messages.filter((each) => each.event === "state_changed")).toMatchObject([event]);
    const nothing = await transport.call("wait_for_messages", { ...asCedar, timeout: 0 });
    expect(nothing.messages).toEqual([]);
    await transport.call("set_state", { ...asBirch, key: "build/tests", value: 1 });
    const own = await transport.call("wait_for_messages", { ...asBirch, timeout: 0 });
    expect(own.messages).toEqual([]);

    await transport.call("unwatch_state", { ...asBirch, prefix: "build/" });
    expect(await transport.call("unwatch_state", { ...asBirch, key: "never" })).toEqual({
      watching: [{ key: "build/main", scope: "session" }],
    });
    const other = { ...at, key: "build/other", value: 1 };
    expect(await transport.call("set_state", other)).toMatchObject({ watchers: 0 });
    await transport.call("leave_session", asBirch);
    expect(await set("green")).toMatchObject({ watchers: 0 });
    for (const both of [{}, { key: "a", prefix: "b" }]) {
      expect(await expectFailure(transport.call("watch_state", { ...at, ...both }))).toMatchObject({
        code: "bad_request",
      });
    }
  });

  it("[STATE-15] who watches a key is told to who asks, by name", async () => {
    const { session, at, set, get } = await startState();
    await set(true);
    expect(await get({ watchers: true })).toMatchObject({ watched_by: [] });
    const { credential } = await session.join("Birch");
    await transport.call("watch_state", { ...at, prefix: "deploy_" });
    await transport.call("watch_state", { ...at, team_id: credential, key: "deploy_frozen" });
    await transport.call("watch_state", { ...at, team_id: credential, prefix: "deploy" });
    expect((await get({ watchers: true })).watched_by).toEqual(["Atlas", "Birch"]);
    expect(await get()).not.toHaveProperty("watched_by");
  });

  it("[STATE-9] [LIMIT-1] a peer watches watchesPerPeerMax keys and prefixes, also when they come at once", async () => {
    const { at } = await startState();
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`
      INSERT INTO state_watches SELECT session_id, peer_id, session_id, 'key ' || n, false
      FROM peers, generate_series(1, ${limits.watchesPerPeerMax - 2}) n WHERE session_id = ${at.session_id}`;
    const watches = ["a", "b", "c", "d"].map((key) => transport.call("watch_state", { ...at, key }));
    const outcomes = await Promise.allSettled(watches);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await expectFailure(transport.call("watch_state", { ...at, key: "e" }))).toMatchObject({
      code: "conflict",
      details: { watches_max: limits.watchesPerPeerMax },
    });
  });

  it("[STATE-7] of a burst an event a second is told, the last change always, also over a restart", async () => {
    const own = await startTestBroker();
    const at = await transports.rest(own.url);
    const session = await createTestSession(at);
    const { sessionId: session_id, convener: team_id } = session;
    const [birch, cedar] = await Promise.all([session.join("Birch"), session.join("Cedar")]);
    const asBirch = { session_id, team_id: birch.credential };
    for (const { credential } of [birch, cedar]) {
      await at.call("watch_state", { session_id, team_id: credential, prefix: "l" });
    }
    const inbox = await listen(own.url, session, cedar.credential);
    const seenByInbox = () => inbox.messages.findLast((each) => each.event === "state_changed")?.["value"];
    const set = (value: number) => at.call("set_state", { session_id, team_id, key: "load", value });
    const waitFor = async (value: number) => {
      for (let last: unknown; last !== value; ) {
        const { messages } = await at.call("wait_for_messages", { ...asBirch, timeout: 30 });
        last = messages.findLast((each) => each.event === "state_changed")?.["value"];
      }
    };
    const burst = async (first: number, last: number) => {
      await Promise.all(Array.from({ length: last - first }, (_, index) => set(first + index)));
      await set(last);
    };

    await burst(1, 40);
    await own.restart();
    await waitFor(40);
    await expect.poll(seenByInbox).toBe(40);
    await burst(41, 110);
    // Changes made before a conclusion are announced, even if the announcement comes after the conclusion.
    await at.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    await expect.poll(seenByInbox).toBe(110);

    const { messages } = await at.call("get_history", { session_id, limit: 500 });
    const told = messages.filter((each) => each.event === "state_changed");
    const times = told.map(({ posted_at }) => Date.parse(posted_at));
    for (const [index, time] of times.slice(1).entries()) {
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(limits.stateEventMsMin);
    }
    expect(inbox.pushes.at(-1)).toMatchObject({ key: "load", value: 110, version: 110 });
    const { history = [] } = await at.call("get_state", { session_id, key: "load", history: true });
    expect(history.map(({ version }) => version)).toEqual(
      Array.from({ length: limits.stateHistoryMax }, (_, index) => 110 - index),
    );
  });
});

describe("pushes", () => {
  it("[STATE-10] each change comes once to a connection with a subscription, a large value left out", async () => {
    const { session, at, set, delete: remove } = await startState();
    const birch = await session.join("Birch");
    const reader = await listen(broker.url, session, birch.credential);
    const elsewhere = await listen(broker.url, await createTestSession(transport));
    const largest = "x".repeat(limits.stateValueToldBytesMax - 2);
    await set(largest);
    await set(`${largest}x`);
    await remove();
    await expect.poll(() => reader.pushes.length).toBe(3);
    const change = { type: "state_change", session_id: at.session_id, key: "deploy_frozen" };
    const by = { updatedBy: "Atlas", updatedAt: expect.any(String) };
    expect(reader.pushes).toEqual([
      { ...change, ...by, value: largest, deleted: false, version: 1 },
      { ...change, ...by, deleted: false, version: 2 },
      { ...change, ...by, deleted: true, version: 3 },
    ]);
    await elsewhere.client.call("get_app_info", {});
    expect(elsewhere.pushes).toEqual([]);
  });

  it("[STATE-11] a key of the mesh is shared by its sessions, pushed to everyone, and told in no feed", async () => {
    const key = "shared";
    const here = await startState(key);
    const there = await startState(key);
    const reader = await listen(broker.url, there.session);
    await here.set("session's own");
    expect(await here.set("everybody's", { scope: "mesh" })).toMatchObject({ version: 1 });
    expect(await there.get({ scope: "mesh", history: true })).toMatchObject({
      value: "everybody's",
      history: [{ version: 1 }],
    });
    expect(await here.get()).toMatchObject({ value: "session's own" });
    expect(await expectFailure(there.get())).toMatchObject({ code: "not_found" });
    await expect.poll(() => reader.pushes).toMatchObject([{ session_id: null, key, value: "everybody's" }]);
    expect(await transport.call("watch_state", { ...there.at, key, scope: "mesh" })).toEqual({
      watching: [{ key, scope: "mesh" }],
    });
    expect(await here.set("new", { scope: "mesh", expected_version: 1 })).toMatchObject({ watchers: 1 });
    expect(await here.delete({ scope: "mesh" })).toMatchObject({ version: 3 });
    expect(await eventsOf(there.session)).toEqual([]);
    expect(await eventsOf(here.session)).toHaveLength(1);
  });
});

describe("who writes, and when", () => {
  it("[STATE-12] a concluded session's state can be read, not changed, and neither can the mesh's through it", async () => {
    const state = await startState();
    const { session_id, team_id } = state.at;
    await state.set("last");
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    for (const scope of ["session", "mesh"]) {
      expect(await expectFailure(state.set("late", { scope }))).toMatchObject({ code: "session_closed" });
      expect(await expectFailure(state.delete({ scope }))).toMatchObject({ code: "session_closed" });
    }
    expect(await expectFailure(transport.call("watch_state", { ...state.at, key: "k" }))).toMatchObject({
      code: "session_closed",
    });
    expect(await state.get()).toMatchObject({ value: "last" });
    expect((await transport.call("list_state", { session_id })).entries).toHaveLength(1);
  });

  it("[STATE-12] of changes that race with a conclusion, those that succeed are there", async () => {
    const state = await startState();
    const { session_id, team_id } = state.at;
    const changes = Array.from({ length: 20 }, (_, value) => state.set(value));
    const concluded = transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const outcomes = await Promise.allSettled(changes);
    await concluded;
    const written = outcomes.filter(({ status }) => status === "fulfilled").length;
    const version = written === 0 ? 0 : (await state.get()).version;
    expect(version).toBe(written);
    expect(await expectFailure(state.set("late"))).toMatchObject({ code: "session_closed" });
  });

  it("[STATE-14] who changed it is told as team and peer; a person's first change joins the session", async () => {
    const { session, at, get } = await startState();
    const joined = await transport.call("join_session", {
      session_id: at.session_id,
      team_name: "Birch",
      peer_name: "oak",
    });
    const key = "deploy_frozen";
    await transport.call("set_state", { ...at, team_id: joined.peer_id ?? "", key, value: 1 });
    expect(await get()).toMatchObject({ updatedBy: "Birch/oak" });
    const { person_id } = await makePerson(transport, "Ana");
    await transport.call("set_state", { ...at, team_id: person_id, key, value: 2 });
    expect(await get()).toMatchObject({ updatedBy: "Ana" });
    const { participants } = await transport.call("list_participants", { session_id: session.sessionId });
    expect(participants.map(({ team_name }) => team_name)).toContain("Ana");
    expect(
      await expectFailure(transport.call("set_state", { ...at, team_id: undefined, key, value: 3 })),
    ).toMatchObject({ code: "unauthorized" });
  });
});
