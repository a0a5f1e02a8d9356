/** Tests details that clients rely on, each promise separately: formats, names, and things that must not happen. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { openDatabase } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { makeRow } from "../kit/message-row.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts, type TestSession, toBareId } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
let broker: TestBroker;
let transport: TransportClient;
let session: TestSession;
let session_id: string;

beforeAll(async () => {
  const agent = { ...fake.agent, maxConcurrentJobs: 0, remoteRunners: true };
  broker = await startTestBroker({ agent }, cleanup);
  transport = await brokerTransports.rest(broker.url);
  session = await createTestSession(transport);
  session_id = session.sessionId;
});

const historyOf = async (id = session_id) =>
  (await transport.call("get_history", { session_id: id })).messages;

describe("the broker", () => {
  it("[CAT-7] says what it is, and every limit by name", async () => {
    const info = await transport.call("get_app_info", {});
    expect(info).toMatchObject({ mesh: "main", mesh_id: expect.any(String), epoch: expect.any(String) });
    expect(info.limits).toEqual(limits);
    expect(info.toolsets).toContain("messaging");
  });

  it("[REST-2] answers JSON, with 200 for success and the error's status for failure", async () => {
    const asked = async (path: string) => {
      const response = await fetch(`${broker.url}/api/sessions/${path}`);
      return [response.status, response.headers.get("content-type")?.split(";")[0], await response.json()];
    };
    expect(await asked(session.slug)).toMatchObject([200, "application/json", { session_id }]);
    expect(await asked("nothing-here")).toMatchObject([
      404,
      "application/json",
      { error: { code: "not_found", details: {} } },
    ]);
  });

  it("[ERR-6] says when to come again, in the header and in the details", async () => {
    const { sessionId, convener } = await createTestSession(transport);
    await changeSettings(transport, {
      session_id: sessionId,
      session_settings: { metadata_min_interval_s: 900 },
    });
    const rename = () =>
      fetch(`${broker.url}/api/sessions/${sessionId}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", "x-team-id": convener },
        body: JSON.stringify({ title: randomUUID(), reason: "scope" }),
      });
    expect((await rename()).status).toBe(200);
    const refused = await rename();
    const { error } = (await refused.json()) as { error: { code: string; details: object } };
    expect(refused.status).toBe(429);
    expect(error).toMatchObject({
      code: "too_many_requests",
      details: { retry_after_s: Number(refused.headers.get("retry-after")) },
    });
  });

  it("[OPS-8] finds within seconds what it was not told of, with a wait that polls for nothing", async () => {
    const database = await openDatabase({ target: broker.databaseUrl });
    try {
      const { sessionId, convener } = await createTestSession(transport);
      const wait = transport.call("wait_for_messages", { session_id: sessionId, team_id: convener });
      await expect
        .poll(async () => (await transport.call("list_participants", { session_id: sessionId })).participants)
        .toMatchObject([{ polling: true }]);
      // Appends directly to the database, as if another node had appended and its notification had been lost.
      await database.append([makeRow(sessionId)]);
      expect(listTexts((await wait).messages)).toEqual(["hello"]);
    } finally {
      await database.close();
    }
  });
});

describe("a session", () => {
  it("[SES-3] keeps its slug when its title changes, and no slug looks like a uuid", async () => {
    const created = await createTestSession(transport, "Slugs stay");
    await transport.call("update_session_metadata", {
      session_id: created.sessionId,
      team_id: created.convener,
      title: "Another title",
      reason: "scope",
    });
    expect(await transport.call("get_session", { session_id: created.sessionId })).toMatchObject({
      title: "Another title",
      slug: "slugs-stay",
    });
    const uuid = randomUUID();
    const named = { title: "x", creator_team_name: "Atlas", slug: uuid };
    expect(await expectFailure(transport.call("create_session", named))).toMatchObject({
      code: "bad_request",
    });
    expect((await createTestSession(transport, uuid)).slug).not.toBe(uuid);
  });

  it("[SES-4] is active, then closed, and filters take open and all as well", async () => {
    const title = randomUUID();
    const [open, closed] = [
      await createTestSession(transport, title),
      await createTestSession(transport, title),
    ];
    await transport.call("conclude_session", {
      session_id: closed.sessionId,
      team_id: closed.convener,
      summary_section: "Done.",
    });
    expect(await transport.call("get_session", { session_id: closed.sessionId })).toMatchObject({
      status: "closed",
      session_closed: true,
    });
    const list = async (status: "open" | "active" | "closed" | "all") =>
      (await transport.call("list_sessions", { query: title, status })).sessions.map(
        (each) => each.session_id,
      );
    expect(await list("open")).toEqual([open.sessionId]);
    expect(await list("active")).toEqual([open.sessionId]);
    expect(await list("closed")).toEqual([closed.sessionId]);
    expect(await list("all")).toHaveLength(2);
  });

  it("[SES-8] takes the later of two updates, without a conflict, and tells both in that order", async () => {
    const { sessionId, convener } = await createTestSession(transport);
    const change = (title: string) =>
      transport.call("update_session_metadata", {
        session_id: sessionId,
        team_id: convener,
        title,
        reason: "why",
      });
    await Promise.all([change("One"), change("Two")]);
    const events = (await historyOf(sessionId)).filter((each) => each.event === "session_metadata_updated");
    expect(events).toHaveLength(2);
    const last = Object(events.at(-1)?.content["changes"]) as { title: { to: string } };
    expect((await transport.call("get_session", { session_id: sessionId })).title).toBe(last.title.to);
  });

  it("[SET-5] keeps its settings when one value of an update is bad, and over a restart", async () => {
    const { sessionId } = await createTestSession(transport);
    await changeSettings(transport, { session_id: sessionId, session_settings: { conclude_by: "convener" } });
    const bad = { conclude_by: "anyone", message_budget: -1 } as const;
    const update = changeSettings(transport, { session_id: sessionId, session_settings: bad });
    expect(await expectFailure(update)).toMatchObject({ code: "bad_request" });
    await broker.restart();
    const { session_settings } = await transport.call("get_settings", { session_id: sessionId });
    expect(session_settings).toMatchObject({ conclude_by: "convener", message_budget: 0 });
  });
});

describe("the roster", () => {
  it("[ROSTER-1] [ROSTER-2] keeps a row for each team, also of one that has left", async () => {
    const at = await createTestSession(transport);
    const birch = await at.join("Birch");
    await transport.call("leave_session", { session_id: at.sessionId, team_id: birch.credential });
    const { participants, folded } = await transport.call("list_participants", { session_id: at.sessionId });
    expect(folded).toBe(0);
    expect(participants).toMatchObject([
      { team_name: "Atlas", kind: "agent", convener: true, left_at: null, polling: false, peers: 0 },
      {
        team_id: toBareId(birch.credential),
        team_name: "Birch",
        convener: false,
        left_at: expect.any(String),
        status: "disconnected",
        person_id: null,
        folded: false,
      },
    ]);
  });

  it("[ROSTER-3] notes when a team was heard of last, whatever it asked for", async () => {
    const at = await createTestSession(transport);
    const seen = async () => {
      const { participants } = await transport.call("list_participants", { session_id: at.sessionId });
      return Date.parse(participants[0]?.last_seen_at ?? "");
    };
    const before = await seen();
    await expect
      .poll(async () => {
        await transport.call("read_session_doc", { session_id: at.sessionId, team_id: at.convener });
        return seen();
      })
      .toBeGreaterThan(before);
  });

  it("[ROSTER-5] folds a team that neither spoke nor polled, until it does", async () => {
    const at = await createTestSession(transport);
    const birch = await at.join("Birch");
    const database = connectTestDatabase(broker.databaseUrl);
    await database`UPDATE teams SET joined_at = now() - interval '1 hour' WHERE session_id = ${at.sessionId}`;
    const list = (include_folded?: boolean) =>
      transport.call("list_participants", {
        session_id: at.sessionId,
        ...(include_folded && { include_folded }),
      });
    await expect.poll(list).toMatchObject({ participants: [], folded: 2 });
    expect((await list(true)).participants).toMatchObject([{ folded: true }, { folded: true }]);
    await at.post(birch.credential, "here");
    await expect
      .poll(() => list())
      .toMatchObject({ participants: [{ team_name: "Birch", folded: false }], folded: 1 });
  });

  it("[JOIN-7] knows nothing of connections: coming and going by socket posts no event", async () => {
    const at = await createTestSession(transport);
    const before = await historyOf(at.sessionId);
    for (let times = 0; times < 3; times += 1) {
      const socket = await brokerTransports.websocket(broker.url);
      await socket.call("wait_for_messages", { session_id: at.sessionId, team_id: at.convener, timeout: 0 });
      await socket.close();
    }
    expect(await historyOf(at.sessionId)).toEqual(before);
    const { participants } = await transport.call("list_participants", { session_id: at.sessionId });
    expect(participants).toMatchObject([{ left_at: null }]);
  });
});

describe("a peer", () => {
  type JoinedPeer = OutputOf<"join_session">;
  const join = (at: TestSession, more: object): Promise<JoinedPeer> =>
    transport.call("join_session", { session_id: at.sessionId, team_name: "Birch", ...more });
  const peersOf = async (at: TestSession, more: object = {}) =>
    (await transport.call("list_peers", { session_id: at.sessionId, ...more })).peers;

  it("[PEER-5] [PEER-17] tells of itself as it joins; what it leaves out when it resumes stays, over a restart", async () => {
    const at = await createTestSession(transport);
    const facts = { role: "lead", groups: ["api:lead", "tests"], summary: "Reading.", machine: "box" };
    const { peer_id } = await join(at, { peer_name: "oak", ...facts });
    await join(at, { team_id: peer_id, machine: "other box" });
    await broker.restart();
    expect((await peersOf(at)).find((each) => each.name === "oak")).toMatchObject({
      role: "lead",
      groups: [
        { name: "api", role: "lead" },
        { name: "tests", role: null },
      ],
      summary: "Reading.",
      machine: "other box",
    });
  });

  it("[PEER-8] [PEER-14] is listed while it is there, by group with those within it, and after it has left when asked", async () => {
    const at = await createTestSession(transport);
    const oak = await join(at, { peer_name: "oak", groups: ["backend/db"] });
    await join(at, { peer_name: "elm", team_id: oak.team_id, groups: ["Backend"] });
    await join(at, { peer_name: "ash", team_id: oak.team_id, groups: ["backends"] });
    const names = async (more: object) => (await peersOf(at, more)).map((each) => each.name);
    expect(await names({ group: "backend" })).toEqual(["oak", "elm"]);
    await transport.call("leave_session", { session_id: at.sessionId, team_id: oak.peer_id ?? "" });
    expect(await names({ group: "backend" })).toEqual(["elm"]);
    expect(await peersOf(at, { include_left: true })).toContainEqual(
      expect.objectContaining({ name: "oak", left_at: expect.any(String) }),
    );
  });

  it("[NAME-2] has its name for itself, whatever the case, and so has a team", async () => {
    const at = await createTestSession(transport);
    await join(at, { peer_name: "oak" });
    const taken = join(at, { team_name: "Cedar", peer_name: "OAK" });
    expect(await expectFailure(taken)).toMatchObject({ code: "conflict", details: { free_name: "OAK-2" } });
    expect((await join(at, { team_name: "BIRCH" })).team_name).toBe("BIRCH (2)");
  });
});

describe("a message", () => {
  it("[SEND-6] to some says whom it reaches, and one to everyone does not", async () => {
    const at = await createTestSession(transport);
    await at.join("Birch");
    const post = (to?: string) =>
      transport.call("post_message", {
        session_id: at.sessionId,
        team_id: at.convener,
        content: { text: "hi" },
        ...(to && { to }),
      });
    expect((await post("birch")).recipients).toMatchObject([{ team: "Birch", peer: null, delivered: false }]);
    expect(await post()).not.toHaveProperty("recipients");
  });

  it("[SEND-7] [SEND-8] replies to a message that is there, and is an ask, a decision or neither", async () => {
    const at = await createTestSession(transport);
    await at.join("Birch");
    const post = (more: { reply_to?: number }, kind?: "ask" | "decision") =>
      transport.call("post_message", {
        session_id: at.sessionId,
        team_id: at.convener,
        content: { text: "hi", ...(kind && { kind }) },
        ...more,
      });
    await post({ reply_to: 1 }, "decision");
    await post({ reply_to: 2 }, "ask");
    await post({ reply_to: 3 });
    expect((await historyOf(at.sessionId)).slice(1)).toMatchObject([
      { reply_to: 1, content: { kind: "decision" } },
      { reply_to: 2, content: { kind: "ask" } },
      { reply_to: 3, content: { text: "hi" } },
    ]);
    expect(await expectFailure(post({ reply_to: 99 }))).toMatchObject({ code: "not_found" });
  });

  it("[FEED-13] is given out as it was sent, with no salt", async () => {
    const at = await createTestSession(transport);
    await at.post(at.convener, "plain");
    const database = connectTestDatabase(broker.databaseUrl);
    const [row] = await database`SELECT content, salt FROM messages WHERE session_id = ${at.sessionId}`;
    expect(row?.["content"]).toBe('{"text":"plain"}');
    expect(row?.["salt"]).toHaveLength(16);
    const [message] = await historyOf(at.sessionId);
    expect(message?.content).toEqual({ text: "plain" });
    expect(JSON.stringify(message)).not.toContain("salt");
  });

  it("[CURSOR-3] that a history page handed out is offered, and not acknowledged", async () => {
    const at = await createTestSession(transport);
    const { credential: team_id } = await at.join("Birch");
    await at.post(at.convener, "one");
    await transport.call("get_history", { session_id: at.sessionId, team_id });
    const wait = (more: object) =>
      transport.call("wait_for_messages", { session_id: at.sessionId, team_id, timeout: 0, ...more });
    expect(listTexts((await wait({})).messages)).toEqual(["one"]);
    expect(await transport.call("ack", { session_id: at.sessionId, team_id, cursor: 2 })).toMatchObject({
      cursor: 2,
    });
  });
});

describe("a document", () => {
  it("[DOC-2] is read as it is, or as it was at a version, and not at one that there is none of", async () => {
    const at = await createTestSession(transport);
    const write = (content: string, expected_version: number) =>
      transport.call("update_session_doc", {
        session_id: at.sessionId,
        team_id: at.convener,
        content,
        expected_version,
      });
    await write("one", 0);
    await write("two", 1);
    const read = (version?: number) =>
      transport.call("read_session_doc", {
        session_id: at.sessionId,
        ...(version !== undefined && { version }),
      });
    expect(await read()).toMatchObject({ content: "two", version: 2, current_version: 2 });
    expect(await read(1)).toMatchObject({ content: "one", version: 1, current_version: 2 });
    expect(await read(0)).toMatchObject({ content: "", version: 0 });
    expect(await expectFailure(read(3))).toMatchObject({ code: "not_found" });
  });
});

describe("state", () => {
  it("[STATE-8] leaves a large value out of the event; get_state has it", async () => {
    const at = await createTestSession(transport);
    const value = "x".repeat(limits.stateValueToldBytesMax);
    await transport.call("set_state", {
      session_id: at.sessionId,
      team_id: at.convener,
      key: "large",
      value,
    });
    const events = async () =>
      (await historyOf(at.sessionId)).filter((each) => each.event === "state_changed");
    await expect.poll(events).toHaveLength(1);
    const [event] = await events();
    expect(event?.content).toMatchObject({ key: "large", version: 1 });
    expect(event?.content).not.toHaveProperty("value");
    expect((await transport.call("get_state", { session_id: at.sessionId, key: "large" })).value).toBe(value);
  });
});

describe("people over agents", () => {
  it("[BUDGET-5] [HOLD-5] resuming ends a hold and a spent budget, changes the setting, and says so once", async () => {
    const at = await createTestSession(transport);
    const { person_id: team_id } = await makePerson(transport, "Ana");
    const on = { session_id: at.sessionId, team_id };
    await transport.call("hold_session", { ...on, reason: "wait" });
    expect(await transport.call("resume_session", { ...on, message_budget: 1 })).toMatchObject({
      resumed: true,
    });
    await at.post(at.convener, "one");
    expect(await expectFailure(at.post(at.convener, "two"))).toMatchObject({ code: "budget_spent" });
    expect(await transport.call("resume_session", on)).toMatchObject({ resumed: true });
    await at.post(at.convener, "two");
    expect(await transport.call("resume_session", { ...on, message_budget: 0 })).toMatchObject({
      resumed: true,
    });
    expect(await transport.call("resume_session", on)).toMatchObject({ resumed: false });
    const resumed = (await historyOf(at.sessionId)).filter((each) => each.event === "session_resumed");
    expect(resumed).toHaveLength(3);
  });

  it("[PROP-16] the feed tells of a proposal that was rejected, by whom", async () => {
    const at = await createTestSession(transport);
    const { person_id: team_id } = await makePerson(transport, "Ana");
    const { proposal_id } = await transport.call("insert_proposal", {
      session_id: at.sessionId,
      team_id: at.convener,
      base_version: 0,
      content: "Done.",
    });
    await transport.call("decide_proposal", { proposal_id, team_id, decision: "reject" });
    expect((await historyOf(at.sessionId)).at(-1)).toMatchObject({
      event: "proposal_decided",
      proposal_id,
      decision: "reject",
    });
  });
});

describe("meshes", () => {
  it("[MESH-6] [MESH-7] are made once under a name, whatever its case, and listed", async () => {
    const name = `m${randomUUID().slice(0, 8)}`;
    const { mesh_id } = await transport.call("create_mesh", { name });
    const again = transport.call("create_mesh", { name: name.toUpperCase() });
    expect(await expectFailure(again)).toMatchObject({ code: "conflict" });
    const { meshes } = await transport.call("list_meshes", {});
    expect(meshes).toContainEqual(expect.objectContaining({ mesh_id, name, role: null }));
  });
});

describe("frames", () => {
  /** Opens a socket and records its frames. */
  async function open() {
    const socket = new WebSocket(`${broker.url.replace("http", "ws")}/ws`);
    const frames: Record<string, unknown>[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    await once(socket, "open");
    onTestFinished(() => socket.close());
    return { frames, send: (frame: object) => socket.send(JSON.stringify(frame)) };
  }

  it("[WS-1] [WS-10] are answered by their id, a number or a text; another epoch is resync", async () => {
    const { frames, send } = await open();
    send({ type: "ping", id: 1 });
    send({ type: "request", id: "two", operation: "get_session", input: { session_id } });
    send({ type: "subscribe", id: 3, kind: "follow", session_id });
    send({ type: "unsubscribe", id: 4, kind: "follow", session_id });
    send({ type: "subscribe", id: 5, kind: "follow", session_id, after: 0, epoch: randomUUID() });
    const replies = () => frames.filter(({ type }) => type === "reply");
    await expect.poll(replies).toHaveLength(5);
    const of = (id: unknown) => replies().find((each) => each["id"] === id);
    expect(of(1)).toHaveProperty("output");
    expect(of("two")).toMatchObject({ output: { session_id } });
    expect(of(3)).toMatchObject({ output: { session_id, after: expect.any(Number) } });
    expect(of(4)).toHaveProperty("output");
    expect(of(5)).toMatchObject({ error: { code: "resync" } });
  });

  it("[TOPIC-11] tell who watches the mesh of a topic, with its session", async () => {
    const at = await createTestSession(transport);
    const { frames, send } = await open();
    send({ type: "watch_mesh", id: 1 });
    await expect.poll(() => frames.some(({ type }) => type === "reply")).toBe(true);
    await transport.call("open_topic", {
      session_id: at.sessionId,
      team_id: at.convener,
      version: 0,
      text: "Why?",
    });
    await expect
      .poll(() => frames)
      .toContainEqual({ type: "mesh_changed", kind: "topics", session_id: at.sessionId });
  });
});

describe("a job on another machine", () => {
  itOnOneBroker("an open broker behind a proxy takes no runners of others")(
    "[TOPIC-9] knows the topics of its own session, and no others",
    async () => {
      const openTopic = async (at: TestSession) => {
        const on = { session_id: at.sessionId, team_id: at.convener, version: 0, text: "Why?" };
        return { at, topic_id: (await transport.call("open_topic", on)).topic_id };
      };
      const [own, other] = [
        await openTopic(await createTestSession(transport)),
        await openTopic(await createTestSession(transport)),
      ];
      const on = { session_id: own.at.sessionId, team_id: own.at.convener, topic_id: own.topic_id };
      const { job_id } = await transport.call("start_job", { kind: "incorporate", ...on });
      const { claim } = await transport.call("claim_job", { runner: "box", wait: 0 });
      expect(claim).toMatchObject({ job: { job_id } });
      const agent = await brokerTransports.rest(broker.url, { token: claim?.credential ?? "" });
      expect(await agent.call("get_topic", { topic_id: own.topic_id })).toMatchObject({
        topic_id: own.topic_id,
      });
      const elsewhere = agent.call("get_topic", { topic_id: other.topic_id });
      expect(await expectFailure(elsewhere)).toMatchObject({ code: "not_found" });
      await transport.call("cancel_job", { job_id, team_id: own.at.convener });
    },
  );

  itOnOneBroker("an open broker behind a proxy takes no runners of others")(
    "[RUNNER-21] [RUNNER-25] is renewed and ended by its claim alone, and says where it ran",
    async () => {
      const at = await createTestSession(transport);
      const { job_id } = await transport.call("start_job", {
        kind: "conclude",
        session_id: at.sessionId,
        team_id: at.convener,
      });
      const { claim } = await transport.call("claim_job", { runner: "the-other-box", wait: 0 });
      expect(claim).toMatchObject({ job: { job_id } });
      const fence = claim?.fence ?? 0;
      const renew = (of: number) => transport.call("renew_job", { job_id, fence: of });
      const end = (of: number) =>
        transport.call("end_job", {
          job_id,
          fence: of,
          exit_code: 1,
          error_tail: "no",
          error: null,
          ended_because: null,
        });
      expect(await renew(fence)).toMatchObject({ holds: true });
      expect(await renew(fence + 1)).toMatchObject({ holds: false });
      expect(await end(fence + 1)).toMatchObject({ ended: false });
      expect(await end(fence)).toMatchObject({ ended: true });
      expect(await end(fence)).toMatchObject({ ended: false });
      expect(await transport.call("get_job", { job_id })).toMatchObject({
        status: "failed",
        runner: "the-other-box",
      });
    },
  );
});

it("[IDEM-6] a result that is kept for its key can be read by nobody who has not that key", async () => {
  const idempotency_key = randomUUID();
  const input = { title: "Kept", creator_team_name: "Atlas", idempotency_key };
  const { team_id } = await transport.call("create_session", input);
  const database = connectTestDatabase(broker.databaseUrl);
  const rows = await database`SELECT * FROM idempotent_results`;
  const text = JSON.stringify(rows, (_key, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(text).not.toContain(team_id.split(".")[1]);
  expect(text).not.toContain(idempotency_key);
  expect((await transport.call("create_session", input)).team_id).toBe(team_id);
});
