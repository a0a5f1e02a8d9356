import { randomUUID } from "node:crypto";
import type { OperationName } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { describeOverEveryTransport, describeWhereTheCallerKeeps } from "../kit/every-transport.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts, toBareId } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { callTool, initialize } from "../mcp/rpc.js";

async function createPerson(transport: TransportClient, name = "Ana"): Promise<string> {
  return (await makePerson(transport, name)).person_id;
}

/** Creates a session with this number of messages from its convener, and a person who has not joined it. */
async function startReading(transport: TransportClient, messages = 1) {
  const session = await createTestSession(transport);
  for (let number = 1; number <= messages; number += 1)
    await session.post(session.convener, `said ${number}`);
  const person = await createPerson(transport);
  const at = { session_id: session.sessionId, team_id: person };
  return { session, session_id: session.sessionId, person, at };
}

async function rosterOf(transport: TransportClient, session_id: string) {
  return (await transport.call("list_participants", { session_id })).participants;
}

async function joinings(transport: TransportClient, session_id: string): Promise<string[]> {
  const { messages } = await transport.call("get_history", { session_id });
  return messages.flatMap((each) => (each.event === "team_joined" ? [String(each["team"])] : []));
}

describeWhereTheCallerKeeps("persons", (at) => {
  it("[IDEM-7] create_person is repeated by its key, which must not be guessable", async () => {
    const { transport } = at;
    const idempotency_key = randomUUID();
    const first = await transport.call("create_person", { name: "Ana", idempotency_key });
    expect(await transport.call("create_person", { name: "Ana", idempotency_key })).toEqual(first);
    const other = transport.call("create_person", { name: "Ben", idempotency_key });
    expect(await expectFailure(other)).toMatchObject({ code: "conflict" });
    const short = transport.call("create_person", { name: "Ana", idempotency_key: "short" });
    expect(await expectFailure(short)).toMatchObject({ code: "bad_request" });
  });

  it("[PERSON-2] reading with a person's credential is a reader's, and joins nobody", async () => {
    const { transport } = at;
    const { session_id, at: mine, session } = await startReading(transport);
    const names: OperationName[] = [
      "get_session",
      "get_history",
      "read_session_doc",
      "list_doc_versions",
      "list_participants",
    ];
    for (const name of names) await transport.callRaw(name, mine);
    await transport.call("list_sessions", { team_id: mine.team_id });
    await transport.call("ack", { ...mine, cursor: 1 });
    expect(await rosterOf(transport, session_id)).toHaveLength(1);
    expect(await session.post(session.convener, "nobody came")).toMatchObject({ cursor: 2 });
  });

  it("[PERSON-3] the first write makes a team of kind human with the person's name, and every later one is that team's", async () => {
    const { transport } = at;
    const { session_id, at: mine, person } = await startReading(transport);
    const content = { text: "hello from Ana" };
    const posted = await transport.call("post_message", { ...mine, content });
    expect(posted.cursor, "its joining comes before it").toBe(3);
    await transport.call("append_to_session_doc", { ...mine, text: "- a note" });
    await transport.call("post_message", { ...mine, content: { text: "again" } });

    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["said 1", "team_joined", "hello from Ana", "again"]);
    const [, row, ...others] = await rosterOf(transport, session_id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      team_name: "Ana",
      kind: "human",
      convener: false,
      status: "active",
      folded: false,
    });
    expect(row?.team_id).not.toBe(toBareId(person));
    for (const message of messages.slice(2)) {
      expect(message).toMatchObject({ posted_by_team_id: row?.team_id, from: { team: "Ana", human: true } });
    }
    const { versions } = await transport.call("list_doc_versions", { session_id });
    expect(versions[0]).toMatchObject({ written_by: "Ana" });
  });

  it("[PERSON-3] a name that is taken is numbered (JOIN-4), and each session has a team of its own", async () => {
    const { transport } = at;
    const { session, session_id, at: mine } = await startReading(transport, 0);
    await session.join("ana");
    await transport.call("post_message", { ...mine, content: { text: "here" } });
    expect(await joinings(transport, session_id)).toEqual(["ana", "Ana (2)"]);
    const other = await createTestSession(transport);
    await transport.call("post_message", {
      ...mine,
      session_id: other.sessionId,
      content: { text: "there" },
    });
    expect(await joinings(transport, other.sessionId)).toEqual(["Ana"]);
  });

  it("[PERSON-3] a first write that is refused joins nobody, whatever it is refused for", async () => {
    const { transport } = at;
    const { session, session_id, at: mine } = await startReading(transport);
    const { convener: team_id } = session;
    const options = ["yes", "no"];
    const content = { text: "Shall we?", kind: "ask" as const, options };
    const ask = await transport.call("post_message", { session_id, team_id, content });
    const yes = { text: "yes", answer: "yes" };
    await transport.call("post_message", { session_id, team_id, reply_to: ask.cursor, content: yes });
    await transport.call("set_state", { session_id, team_id, key: "k", value: 1 });
    const before = await rosterOf(transport, session_id);
    const { last_sequence } = await transport.call("get_session", { session_id });

    const refused: [OperationName, object][] = [
      ["post_message", { content: { text: "what?" }, reply_to: 999 }],
      ["post_message", { content: { text: "who?" }, to: "Nobody" }],
      ["post_message", { content: yes, reply_to: ask.cursor }],
      ["send_message", { to: "Nobody", message: "who?" }],
      ["nudge", { to: "Nobody" }],
      ["edit_session_doc", { old_text: "not there", new_text: "x" }],
      ["update_session_doc", { content: "stale", expected_version: 7 }],
      ["append_to_session_doc", { text: "x".repeat(limits.documentBytesMax) }],
      ["set_state", { key: "k", value: 2, expected_version: 7 }],
      ["delete_state", { key: "k", expected_version: 7 }],
    ];
    await transport.call("append_to_session_doc", { session_id, team_id, text: "x" });
    for (const [name, input] of refused) {
      const failure = await expectFailure(transport.callRaw(name, { ...mine, ...input }));
      expect(failure.code, name).toMatch(/^(bad_request|not_found|conflict|payload_too_large)$/);
    }
    expect(await rosterOf(transport, session_id)).toHaveLength(before.length);
    expect((await transport.call("get_session", { session_id })).last_sequence).toBe(last_sequence);

    const concluded = await transport.call("conclude_session", { ...mine, summary_section: "All is said." });
    expect(concluded.doc_version).toBe(2);
    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages).slice(-2)).toEqual(["team_joined", "session_concluded"]);
  });

  it("[PERSON-4] of many first writes at once, all are done by one team that joined once", async () => {
    const { transport } = at;
    const { session_id, at: mine } = await startReading(transport, 0);
    const posts = Array.from({ length: 12 }, (_, number) =>
      transport.call("post_message", { ...mine, content: { text: `at once ${number}` } }),
    );
    const join = transport.call("join_session", { ...mine, team_name: "Ana" });
    const cursors = (await Promise.all(posts)).map(({ cursor }) => cursor);
    await join;
    expect(new Set(cursors).size).toBe(12);
    expect(await joinings(transport, session_id)).toEqual(["Ana"]);
    expect(await rosterOf(transport, session_id)).toHaveLength(2);
    const { messages } = await transport.call("get_history", { session_id });
    expect(messages.map((each) => each.sequence)).toEqual(messages.map((_, index) => index + 1));
    expect(new Set(messages.slice(1).map((each) => each.posted_by_team_id)).size).toBe(1);
  });

  it("[PERSON-4] a first write that is sent again with its key is done once", async () => {
    const { transport } = at;
    const { session_id, at: mine } = await startReading(transport, 0);
    const once = { ...mine, text: "- once", idempotency_key: "k" };
    const first = await transport.call("append_to_session_doc", once);
    expect(await transport.call("append_to_session_doc", once)).toEqual(first);
    const again = { ...mine, content: { text: "once" }, idempotency_key: "k" };
    const posted = await transport.call("post_message", again);
    expect(await transport.call("post_message", again)).toEqual(posted);
    expect(await joinings(transport, session_id)).toEqual(["Ana"]);
  });

  it("[PERSON-5] join_session with a person's credential joins as that person, and resumes the team that is there", async () => {
    const { transport } = at;
    const { session_id, at: mine, person } = await startReading(transport);
    const keyed = { ...mine, team_name: "Somebody", idempotency_key: "k" };
    const joined = await transport.call("join_session", keyed);
    expect(joined).toMatchObject({ team_id: person, team_name: "Ana", resumed: false, cursor: 2 });
    expect(await transport.call("join_session", keyed), "IDEM-1").toMatchObject({
      resumed: false,
      cursor: 2,
    });
    const again = await transport.call("join_session", { ...mine, team_name: "Somebody" });
    expect(again).toMatchObject({ team_id: person, team_name: "Ana", resumed: true, cursor: 2 });
    expect(await joinings(transport, session_id)).toEqual(["Ana"]);
    const replayed = await transport.call("join_session", { ...mine, team_name: "Ana", replay_from: 0 });
    expect(replayed).toMatchObject({ resumed: true, cursor: 0 });
    const wait = await transport.call("wait_for_messages", { ...mine, timeout: 0 });
    expect(listTexts(wait.messages), "its own joining is left out").toEqual(["said 1"]);
  });

  it("[PERSON-5] a person who left comes back by the next write, with another team_joined and the same team", async () => {
    const { transport } = at;
    const { session_id, at: mine } = await startReading(transport, 0);
    await transport.call("post_message", { ...mine, content: { text: "one" } });
    const [, before] = await rosterOf(transport, session_id);
    const left = await transport.call("leave_session", { ...mine, idempotency_key: "gone" });
    expect(left.team_id).toBe(before?.team_id);
    expect(await transport.call("leave_session", { ...mine, idempotency_key: "gone" }), "IDEM-9").toEqual(
      left,
    );
    expect(await expectFailure(transport.call("wait_for_messages", mine))).toMatchObject({
      code: "forbidden",
    });
    await transport.call("get_history", mine);
    await transport.call("ack", { ...mine, cursor: 2 });
    expect((await rosterOf(transport, session_id))[1]?.left_at, "reading does not bring back").toBe(
      left.left_at,
    );

    await transport.call("post_message", { ...mine, content: { text: "two" } });
    const [, after] = await rosterOf(transport, session_id);
    expect(after).toMatchObject({ team_id: before?.team_id, left_at: null, team_name: "Ana" });
    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["team_joined", "one", "team_left", "team_joined", "two"]);
  });

  it("[PERSON-2] who is not in the session cannot wait in it or leave it, and is told what to do", async () => {
    const { transport } = at;
    const { at: mine } = await startReading(transport);
    for (const name of ["wait_for_messages", "leave_session"] as const) {
      const failure = await expectFailure(transport.call(name, mine));
      expect(failure.code).toBe("forbidden");
      expect(failure.message).toMatch(/read its history.*join it or post a message/s);
    }
  });

  it("[AUTH-7] a person's team has no credential of its own to replace", async () => {
    const { transport } = at;
    const { at: mine } = await startReading(transport);
    const rotate = () => expectFailure(transport.call("rotate_team_credential", mine));
    expect(await rotate()).toMatchObject({ code: "forbidden", message: expect.stringContaining("person's") });
    await transport.call("post_message", { ...mine, content: { text: "here" } });
    expect(await rotate()).toMatchObject({ code: "forbidden" });
  });

  it("[PERSON-6] ack notes what a person has read, in the session or not, and never goes back", async () => {
    const { transport } = at;
    const { session_id, at: mine } = await startReading(transport, 5);
    const lastRead = async () => (await transport.call("get_session", mine)).last_read;
    expect(await lastRead()).toBe(0);
    expect(await transport.call("ack", { ...mine, cursor: 3 })).toEqual({ cursor: 3 });
    expect(await transport.call("ack", { ...mine, cursor: 1 })).toEqual({ cursor: 3 });
    const beyond = await expectFailure(transport.call("ack", { ...mine, cursor: 6 }));
    expect(beyond).toMatchObject({ code: "bad_request", details: { last_sequence: 5 } });
    expect(await lastRead()).toBe(3);

    await transport.call("post_message", { ...mine, content: { text: "here" } });
    expect(await lastRead(), "what others wrote is still unread").toBe(3);
    expect((await rosterOf(transport, session_id))[1]?.last_read).toBe(3);
    expect(await transport.call("ack", { ...mine, cursor: 7 }), "not limited by what was handed out").toEqual(
      {
        cursor: 7,
      },
    );
    expect((await rosterOf(transport, session_id))[1]?.last_read).toBe(7);
    const posted = await transport.call("post_message", { ...mine, content: { text: "my own words" } });
    expect(await lastRead(), "nothing of others stood before it").toBe(posted.cursor);
  });

  it("[SES-1] a person who creates a session is its convener, under the person's name", async () => {
    const { transport } = at;
    const person = await createPerson(transport);
    const title = `Ana's ${randomUUID()}`;
    const keyed = { title, team_id: person, idempotency_key: "k" };
    const created = await transport.call("create_session", keyed);
    expect(created).toMatchObject({ team_id: person, cursor: 0 });
    expect(await transport.call("create_session", keyed)).toEqual(created);
    const { session_id } = created;
    expect(await rosterOf(transport, session_id)).toMatchObject([
      { team_name: "Ana", kind: "human", convener: true },
    ]);
    await changeSettings(transport, { session_id, session_settings: { metadata_by: "convener" } });
    const renamed = { session_id, team_id: person, title: "Ours", reason: "It is ours" };
    expect(await transport.call("update_session_metadata", renamed)).toMatchObject({ title: "Ours" });
    expect(await joinings(transport, session_id), "it is in it already").toEqual([]);
  });

  it("[SES-1] without a person's credential a session needs its creator's team name, and a team's does not count", async () => {
    const { transport } = at;
    const nameless = await expectFailure(transport.call("create_session", { title: "Whose?" }));
    expect(nameless).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("creator_team_name"),
    });
    const { convener: team_id } = await createTestSession(transport);
    if (transport.name === "rest") {
      // Over REST the credential is in a header, which a client may send with every call.
      const created = await transport.call("create_session", {
        title: "Next",
        creator_team_name: "Atlas",
        team_id,
      });
      expect(created.team_id).not.toBe(team_id);
    } else {
      const another = transport.call("create_session", {
        title: "Next",
        creator_team_name: "Atlas",
        team_id,
      });
      expect(await expectFailure(another)).toMatchObject({ code: "unauthorized" });
    }
  });
});

describeOverEveryTransport("who spoke last", (at) => {
  it("[SES-5] last_said_at, last_said_by and last_said_text are of the last chat message, whatever events follow it", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const read = async () => {
      const { last_said_at, last_said_by, last_said_text } = await transport.call("get_session", {
        session_id,
      });
      const said = { last_said_at, last_said_by, last_said_text };
      const { sessions } = await transport.call("list_sessions", { query: session.slug });
      expect(sessions[0]).toMatchObject(said);
      return said;
    };
    const nothing = { last_said_at: null, last_said_by: null, last_said_text: null };
    expect(await read()).toEqual(nothing);
    const birch = await session.join("Birch");
    expect(await read()).toEqual(nothing);
    await session.post(session.convener, "one");
    const { at: saidAt, cursor } = await session.post(
      birch.credential,
      "## Keys\n\n- Use the **vault**.\n- Rotate it.",
    );
    const said = { last_said_at: saidAt, last_said_by: "Birch" };
    expect(await read()).toEqual({ ...said, last_said_text: "Use the vault." });
    await transport.call("redact_message", { session_id, team_id: birch.credential, sequence: cursor });
    await transport.call("leave_session", { session_id, team_id: birch.credential });
    expect(await read()).toEqual({ ...said, last_said_text: null });
    const { peers } = await transport.call("list_peers", { session_id });
    const secret = await transport.call("send_message", {
      session_id,
      team_id: (await session.join("Cedar")).credential,
      to: peers[0]?.team ?? "",
      message: `mks1.${"a".repeat(200)}.${"b".repeat(32)}.${"c".repeat(44)}`,
      private: true,
    });
    expect(await read()).toEqual({ last_said_at: secret.at, last_said_by: "Cedar", last_said_text: null });
  });
});

describe("a person", () => {
  let broker: TestBroker;
  let transport: TransportClient;
  const cleanup = createCleanup();
  beforeAll(async () => {
    broker = await startTestBroker({}, cleanup);
    transport = await transports.rest(broker.url);
  });

  function connectClient(): MerkleClient {
    const client = connect({ url: broker.url, WebSocket });
    onTestFinished(() => client.close());
    return client;
  }

  it("[PERSON-2] follows a session without being in it, and has an inbox only in it", async () => {
    const { session, session_id, at: mine } = await startReading(transport);
    const client = connectClient();
    const followed: string[] = [];
    client.follow({
      session: session_id,
      teamId: mine.team_id,
      after: 0,
      onMessage: ({ sequence, event, content }) => followed.push(`${sequence} ${event ?? content["text"]}`),
    });
    await session.post(session.convener, "live");
    await expect.poll(() => followed).toEqual(["1 said 1", "2 live"]);

    const refused = new Promise((resolve) => {
      client.inbox({
        session: session_id,
        teamId: mine.team_id,
        onMessage: () => undefined,
        onError: resolve,
      });
    });
    expect(await refused).toMatchObject({ code: "forbidden" });
    expect(await rosterOf(transport, session_id)).toHaveLength(1);

    await client.call("post_message", { ...mine, content: { text: "here" } });
    const received: string[] = [];
    client.inbox({
      session: session_id,
      teamId: mine.team_id,
      onMessage: ({ content }) => received.push(String(content["text"])),
    });
    await session.post(session.convener, "for you");
    await expect.poll(() => received).toEqual(["for you"]);
    await expect.poll(async () => (await rosterOf(transport, session_id))[1]?.connections).toBe(1);
    await expect.poll(() => followed).toEqual(["1 said 1", "2 live", "3 team_joined", "4 here", "5 for you"]);
  });

  it("[PERSON-1] outlives a restart of the broker, with what it has read", async () => {
    const { session_id, at: mine } = await startReading(transport);
    await transport.call("post_message", { ...mine, content: { text: "before" } });
    await transport.call("ack", { ...mine, cursor: 2 });
    await broker.restart();
    expect((await transport.call("get_session", mine)).last_read).toBe(2);
    await transport.call("post_message", { ...mine, content: { text: "after" } });
    expect(await joinings(transport, session_id)).toEqual(["Ana"]);
  });

  it("[PERSON-5] that joins in an MCP session is remembered by it as a team is", async () => {
    const { session_id, at: mine } = await startReading(transport, 0);
    const mcp = `${broker.url}/mcp`;
    const headers = { "mcp-session-id": await initialize(mcp) };
    await callTool(mcp, "join_session", { ...mine, team_name: "Ana" }, { headers });
    await callTool(mcp, "post_message", { session_id, content: { text: "remembered" } }, { headers });
    await callTool(mcp, "leave_session", { session_id }, { headers });
    await callTool(mcp, "post_message", { session_id, content: { text: "back" } }, { headers });
    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["team_joined", "remembered", "team_left", "team_joined", "back"]);
    expect(messages.at(-1)?.from).toEqual({ team: "Ana", human: true });
  });

  it("[AUTH-2] gives its credential in the header or as an argument, never in a query", async () => {
    const { at: mine, person } = await startReading(transport);
    const sessions = new URL("/api/sessions", broker.url);
    const header = await fetch(sessions, { headers: { "x-team-id": person } });
    expect(header.status).toBe(200);
    sessions.searchParams.set("team_id", mine.team_id);
    expect((await fetch(sessions)).status).toBe(400);
  });

  it("[AUTH-3] a team's credential in the header does not hinder what concerns no session", async () => {
    const session = await createTestSession(transport);
    const headers = { "x-team-id": session.convener, "content-type": "application/json" };
    const list = () => fetch(new URL("/api/sessions", broker.url), { headers });
    expect((await list()).status).toBe(200);
    await transport.call("leave_session", { session_id: session.sessionId, team_id: session.convener });
    expect((await list()).status, "it looks for another session").toBe(200);
    const body = JSON.stringify({ title: "Next", creator_team_name: "Atlas" });
    const next = await fetch(new URL("/api/sessions", broker.url), { method: "POST", headers, body });
    expect(next.status).toBe(200);
  });
});

describeWhereTheCallerKeeps("a person's credential", (at) => {
  it("[PERSON-1] create_person gives a credential whose uuid is the person's, once, and stores its hash alone", async () => {
    const { transport, broker } = at;
    const created = await transport.call("create_person", { name: "  Bea  " });
    expect(created).toMatchObject({ name: "Bea", verified: false });
    expect(created.person_id).toMatch(/^[0-9a-f-]{36}\.mk_[A-Za-z0-9_-]{43}$/);
    const sql = connectTestDatabase(broker.databaseUrl);
    const [row] =
      await sql`SELECT name, secret_hash FROM persons WHERE person_id = ${toBareId(created.person_id)}`;
    expect(row?.["name"]).toBe("Bea");
    expect(row?.["secret_hash"]).toHaveLength(32);
    for (const name of ["", "x".repeat(101), "two\nlines"]) {
      expect(await expectFailure(transport.call("create_person", { name }))).toMatchObject({
        code: "bad_request",
      });
    }
  });

  it("[PERSON-2] what is no person's credential is answered 401, also where no session is addressed", async () => {
    const { transport } = at;
    const { session_id, person } = await startReading(transport);
    const wrong = `${toBareId(person)}.mk_${"x".repeat(43)}`;
    for (const team_id of [wrong, toBareId(person), `${randomUUID()}.mk_${"x".repeat(43)}`, "Ana"]) {
      for (const [name, input] of [
        ["get_session", { session_id, team_id }],
        ["post_message", { session_id, team_id, content: { text: "hello" } }],
        ["list_sessions", { team_id }],
        ["create_session", { title: "Mine", creator_team_name: "Ana", team_id }],
      ] as const) {
        expect(await expectFailure(transport.callRaw(name, input)), name).toMatchObject({
          code: "unauthorized",
        });
      }
    }
  });

  it("[PERSON-3] bad input, a refused text, a stranger's right or a closed session joins nobody", async () => {
    const { transport } = at;
    const { session, session_id, at: mine } = await startReading(transport);
    const post = (content: unknown) => expectFailure(transport.callRaw("post_message", { ...mine, content }));
    expect(await post({ text: "" })).toMatchObject({ code: "bad_request" });
    expect(await post({ text: `mine is ${mine.team_id}` })).toMatchObject({ code: "bad_request" });
    expect(await post({ text: `yours is ${session.convener}` })).toMatchObject({ code: "bad_request" });
    await changeSettings(transport, { session_id, session_settings: { conclude_by: "convener" } });
    const conclude = () =>
      expectFailure(transport.call("conclude_session", { ...mine, summary_section: "Done." }));
    expect(await conclude()).toMatchObject({ code: "forbidden" });
    await transport.call("conclude_session", {
      session_id,
      team_id: session.convener,
      summary_section: "Done.",
    });
    await changeSettings(transport, { session_id, session_settings: { conclude_by: "anyone" } });
    expect(await post({ text: "too late" })).toMatchObject({ code: "session_closed" });
    expect(await conclude(), "SES-10: the same teams may").toMatchObject({ code: "session_closed" });
    expect(await rosterOf(transport, session_id)).toHaveLength(1);
    expect(await joinings(transport, session_id)).toEqual([]);
  });

  it("[PERSON-6] what a person's wait acknowledges is read, and what is read is not handed out again", async () => {
    const { transport } = at;
    const { session, session_id, at: mine } = await startReading(transport, 0);
    await transport.call("join_session", { ...mine, team_name: "Ana" });
    for (const text of ["two", "three", "four"]) await session.post(session.convener, text);
    await transport.call("ack", { ...mine, cursor: 2 });
    const wait = await transport.call("wait_for_messages", { ...mine, timeout: 0 });
    expect(listTexts(wait.messages)).toEqual(["three", "four"]);
    await transport.call("wait_for_messages", { ...mine, since_cursor: wait.next_cursor, timeout: 0 });
    expect((await rosterOf(transport, session_id))[1]?.last_read).toBe(4);
    expect((await transport.call("get_session", mine)).last_read).toBe(4);
  });

  it("[PERSON-7] get_session and list_sessions tell who asks how far it has read, and nobody else", async () => {
    const { transport } = at;
    const { session, session_id, at: mine, person } = await startReading(transport, 3);
    await transport.call("ack", { ...mine, cursor: 2 });
    const cedar = await session.join("Cedar");
    const unread = await createTestSession(transport);
    const listed = async (team_id?: string) => {
      const { sessions } = await transport.call("list_sessions", { limit: 200, ...(team_id && { team_id }) });
      return [session_id, unread.sessionId].map(
        (wanted) => sessions.find((each) => each.session_id === wanted)?.last_read,
      );
    };
    expect(await listed()).toEqual([null, null]);
    expect(await listed(person)).toEqual([2, 0]);
    expect(await listed(cedar.credential), "a team is in one session").toEqual([cedar.cursor, null]);
    expect((await transport.call("get_session", { session_id })).last_read).toBeNull();
    const asCedar = await transport.call("get_session", { session_id, team_id: cedar.credential });
    expect(asCedar.last_read).toBe(cedar.cursor);
    await transport.call("leave_session", { session_id, team_id: cedar.credential });
  });

  it("[AUTH-6] a person's credential is refused in every text, and a dead one is not", async () => {
    const { transport } = at;
    const { session, session_id, person } = await startReading(transport);
    const say = (text: string) =>
      transport.call("post_message", { session_id, team_id: session.convener, content: { text } });
    const refused = await expectFailure(say(`use ${person} for it`));
    expect(refused).toMatchObject({ code: "bad_request", details: { person_id: toBareId(person) } });
    expect(await expectFailure(transport.call("create_person", { name: person }))).toMatchObject({
      code: "bad_request",
    });
    await say(`${toBareId(person)}.mk_${"x".repeat(43)}`);
  });
});
