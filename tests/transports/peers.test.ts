import { randomUUID } from "node:crypto";
import { type Database, openDatabase, retirePeers } from "@merkle/db";
import type { InputOf, OutputOf } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { countRounds } from "../kit/exhaustive.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts, type TestSession, toBareId } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { connectClient, readText } from "../mcp/rpc.js";

let broker: TestBroker;
let transport: TransportClient;
let database: Database;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.rest(broker.url);
  database = await openDatabase({ target: broker.databaseUrl });
  cleanup(() => database.close());
});

type JoinInput = Omit<InputOf<"join_session">, "session_id" | "team_name"> & { team_name?: string };

/** Joins, and returns the peer's credential as `peer`. */
async function join({ sessionId: session_id }: Pick<TestSession, "sessionId">, input: JoinInput) {
  const joined = await transport.call("join_session", { session_id, team_name: "Birch", ...input });
  return { ...joined, peer: joined.peer_id ?? "" };
}

async function listPeers({ sessionId: session_id }: Pick<TestSession, "sessionId">, include_left = false) {
  return (await transport.call("list_peers", { session_id, include_left })).peers;
}

function namesOf(peers: OutputOf<"list_peers">["peers"]): string[] {
  return peers.map(({ team, name }) => (name === null ? team : `${team}/${name}`));
}

async function eventsOf({ sessionId: session_id }: TestSession): Promise<unknown[]> {
  return (await transport.call("get_history", { session_id })).messages.flatMap(({ event }) => event ?? []);
}

/** Opens a client with an inbox for a peer. */
async function holdInbox({ sessionId }: TestSession, teamId: string): Promise<MerkleClient> {
  const client = connect({ url: broker.url, WebSocket, retry: { baseMs: 10, capMs: 50 } });
  onTestFinished(() => client.close());
  await client.inbox({ session: sessionId, teamId, onMessage: () => undefined }).ready;
  return client;
}

describe("peers", () => {
  it("[PEER-1] a name makes a peer: in a new team, in one's own, and its credential brings it back", async () => {
    const session = await createTestSession(transport);
    const facts = {
      role: "reviewer",
      groups: ["backend:lead", "Backend/db"],
      summary: "reads",
      capabilities: { client: "test", wake: ["inbox" as const] },
      cwd: "/work",
      machine: "laptop",
      session_key: `${"A".repeat(43)}=`,
    };
    const aspen = await join(session, { peer_name: "aspen", ...facts });
    expect(aspen).toMatchObject({ team_name: "Birch", peer_name: "aspen", resumed: false, cursor: 1 });
    expect(toBareId(aspen.team_id)).not.toBe(toBareId(aspen.peer));
    await session.post(session.convener, "before cedar");
    const cedar = await join(session, { team_id: aspen.team_id, peer_name: "Cedar" });
    expect(cedar).toMatchObject({ team_id: aspen.team_id, team_name: "Birch", resumed: false, cursor: 2 });
    const again = await join(session, { team_id: cedar.peer, role: "tester" });
    expect(again).toMatchObject({
      team_id: cedar.peer,
      peer_id: cedar.peer,
      peer_name: "Cedar",
      resumed: true,
    });

    const peers = await listPeers(session);
    expect(namesOf(peers)).toEqual(["Atlas", "Birch/aspen", "Birch/Cedar"]);
    expect(peers[1]).toMatchObject({
      peer_id: toBareId(aspen.peer),
      team_id: toBareId(aspen.team_id),
      kind: "agent",
      role: "reviewer",
      groups: [
        { name: "backend", role: "lead" },
        { name: "Backend/db", role: null },
      ],
      status: "idle",
      presence: "active",
      summary: "reads",
      summary_at: expect.any(String),
      capabilities: facts.capabilities,
      cwd: "/work",
      machine: "laptop",
      session_key: facts.session_key,
      declared: null,
      left_at: null,
      last_polled_at: null,
      connected: false,
      last_read: 1,
    });
    expect(peers[2]).toMatchObject({
      role: "tester",
      groups: [],
      summary: "",
      summary_at: null,
      last_read: 2,
    });
    expect(await eventsOf(session), "peers come without an event").toEqual(["team_joined"]);
    const { participants } = await transport.call("list_participants", { session_id: session.sessionId });
    expect(participants.map(({ team_name, peers }) => [team_name, peers])).toEqual([
      ["Atlas", 0],
      ["Birch", 2],
    ]);
    for (const group of ["BACKEND", "backend/db"]) {
      const { peers } = await transport.call("list_peers", { session_id: session.slug, group });
      expect(namesOf(peers)).toEqual(["Birch/aspen"]);
    }
  });

  it("[PEER-2] a peer's credential is given where a team's is, and each peer reads with a cursor of its own", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const aspen = await join(session, { peer_name: "aspen" });
    const cedar = await join(session, { team_id: aspen.team_id, peer_name: "cedar" });
    await session.post(aspen.peer, "from aspen");
    const read = async (team_id: string) =>
      listTexts((await transport.call("wait_for_messages", { session_id, team_id, timeout: 0 })).messages);
    expect(await read(cedar.peer)).toEqual(["from aspen"]);
    await transport.call("ack", { session_id, team_id: cedar.peer, cursor: 2 });
    const lastRead = async (team_id: string) =>
      (await transport.call("get_session", { session_id, team_id })).last_read;
    expect([await lastRead(cedar.peer), await lastRead(aspen.peer)]).toEqual([2, 1]);
    const { participants } = await transport.call("list_participants", { session_id });
    expect(participants[1], "a team has read what all its peers have").toMatchObject({ last_read: 1 });
    expect(await read(aspen.peer), "one's own do not come back").toEqual([]);

    const written = await transport.call("append_to_session_doc", {
      session_id,
      team_id: cedar.peer,
      text: "line",
    });
    expect(written.version).toBe(1);
    const { sessions } = await transport.call("list_sessions", { team_id: cedar.peer, query: session.slug });
    expect(sessions[0]).toMatchObject({ last_read: 2 });
    const wrong = `${toBareId(cedar.peer)}.mk_${"x".repeat(43)}`;
    const other = await createTestSession(transport);
    for (const [where, credential] of [
      [session_id, wrong],
      [session_id, toBareId(cedar.peer)],
      [other.sessionId, cedar.peer],
    ] as const) {
      const call = transport.callRaw("get_session", { session_id: where, team_id: credential });
      expect(await expectFailure(call)).toMatchObject({ code: "unauthorized" });
    }
  });

  it("[PEER-3] however often it is resumed, a peer is one row with one cursor", async () => {
    const session = await createTestSession(transport);
    const { peer } = await join(session, { peer_name: "aspen", groups: ["backend"] });
    await session.post(session.convener, "unread");
    const resumed = await Promise.all(
      Array.from({ length: 12 }, (_, n) => join(session, { team_id: peer, summary: `start ${n}` })),
    );
    for (const each of resumed) {
      expect(each).toMatchObject({ peer_id: peer, peer_name: "aspen", resumed: true, cursor: 1 });
    }
    const peers = await listPeers(session, true);
    expect(namesOf(peers)).toEqual(["Atlas", "Birch/aspen"]);
    expect(peers[1]).toMatchObject({ groups: [{ name: "backend", role: null }], last_read: 1 });
    expect(await eventsOf(session)).toEqual(["team_joined"]);
    const back = await join(session, { team_id: peer, replay_from: 0 });
    expect(back.cursor).toBe(0);
  });

  it("[PEER-4] a taken name is refused with a free one, whatever its case and whose it is", async () => {
    const session = await createTestSession(transport);
    const { team_id } = await join(session, { peer_name: "claude" });
    await join(session, { team_id, peer_name: "claude-2" });
    for (const [peer_name, free_name] of [
      ["CLAUDE", "CLAUDE-3"],
      ["atlas", "atlas-2"],
    ] as const) {
      for (const input of [{ team_id, peer_name }, { peer_name }]) {
        const failure = await expectFailure(join(session, input));
        expect(failure).toMatchObject({ code: "conflict", details: { free_name } });
      }
    }
    expect(await eventsOf(session), "a refused joining leaves no team").toEqual(["team_joined"]);
    expect(await join(session, { team_id, peer_name: "birch" }), "its own team's").toMatchObject({
      peer_name: "birch",
    });
    const long = "😀".repeat(50);
    await join(session, { team_id, peer_name: long });
    const { details } = await expectFailure(join(session, { team_id, peer_name: long }));
    expect(details["free_name"]).toBe(`${"😀".repeat(49)}-2`);
    expect(await join(session, { team_id, peer_name: `${details["free_name"]}` })).toMatchObject({
      resumed: false,
    });
  });

  it("[PEER-4] of many that want one name at once, one gets it", async () => {
    const session = await createTestSession(transport);
    const { team_id } = await join(session, {});
    const racing = Array.from({ length: 12 }, (_, n) =>
      join(session, n % 2 ? { peer_name: "Racer" } : { team_id, peer_name: "racer" }).then(
        () => "joined",
        (error: { code: string }) => error.code,
      ),
    );
    expect((await Promise.all(racing)).sort()).toEqual([...Array(11).fill("conflict"), "joined"]);
  });

  it("[PEER-6] a person has no named peers", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const { person_id: team_id } = await makePerson(transport, "Ana");
    const failure = await expectFailure(join(session, { team_id, peer_name: "phone" }));
    expect(failure).toMatchObject({ code: "bad_request" });
    await transport.call("set_status", { session_id, team_id, status: "dnd" });
    const humans = await transport.call("list_peers", { session_id, group: "Humans" });
    expect(namesOf(humans.peers)).toEqual(["Ana"]);
    expect(await listPeers(session)).toMatchObject([
      { team: "Atlas" },
      { team: "Ana", name: null, kind: "human", declared: { status: "dnd" } },
    ]);
  });

  it("[PEER-7] a team's unnamed peer is there while no named one is, or once it has read", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await join(session, {});
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch"]);
    const aspen = await join(session, { team_id: birch.team_id, peer_name: "aspen" });
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch/aspen"]);
    await transport.call("leave_session", { session_id, team_id: aspen.peer });
    expect(await eventsOf(session), "the team went with its last peer").toEqual(["team_joined", "team_left"]);
    await join(session, { team_id: birch.team_id });
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch"]);
    await transport.call("wait_for_messages", { session_id, team_id: birch.team_id, timeout: 0 });
    await join(session, { team_id: aspen.peer });
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch", "Birch/aspen"]);
  });

  it("[PEER-9] leaving ends a peer's credential and frees its name, and its team stays while somebody of it does", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const aspen = await join(session, { peer_name: "aspen" });
    const cedar = await join(session, { team_id: aspen.team_id, peer_name: "cedar" });
    const idempotency_key = randomUUID();
    const leave = { session_id, team_id: aspen.peer, idempotency_key };
    const left = await transport.call("leave_session", leave);
    expect(left.team_id).toBe(toBareId(aspen.team_id));
    expect(await transport.call("leave_session", leave), "repeated with its key").toEqual(left);
    const failure = await expectFailure(session.post(aspen.peer, "too late"));
    expect(failure).toMatchObject({ code: "unauthorized", message: expect.stringContaining("Birch/aspen") });
    expect(await eventsOf(session)).toEqual(["team_joined"]);
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch/cedar"]);

    const other = await join(session, { team_id: aspen.team_id, peer_name: "ASPEN" });
    const back = await join(session, { team_id: aspen.peer });
    expect(back).toMatchObject({ resumed: true, peer_name: "aspen-2" });
    await session.post(aspen.peer, "back");

    await transport.call("leave_session", { session_id, team_id: aspen.team_id });
    for (const credential of [aspen.peer, cedar.peer, other.peer, aspen.team_id]) {
      expect(await expectFailure(session.post(credential, "gone"))).toMatchObject({ code: "unauthorized" });
    }
    expect(await eventsOf(session)).toEqual(["team_joined", "team_left"]);
    const all = await listPeers(session, true);
    expect(namesOf(all)).toEqual(["Atlas", "Birch/aspen-2", "Birch/cedar", "Birch/ASPEN"]);
    expect(all.slice(1).every(({ left_at, status }) => left_at !== null && status === "disconnected")).toBe(
      true,
    );

    await join(session, { team_id: cedar.peer });
    expect(await eventsOf(session), "a peer brings its team back").toEqual([
      "team_joined",
      "team_left",
      "team_joined",
    ]);
    expect(namesOf(await listPeers(session))).toEqual(["Atlas", "Birch/cedar"]);
  });

  it("[PEER-9] of a team's last two peers that leave at once, one takes the team with it", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const one = await join(session, { peer_name: "one" });
    const two = await join(session, { team_id: one.team_id, peer_name: "two" });
    await Promise.all(
      [one, two].map(({ peer: team_id }) => transport.call("leave_session", { session_id, team_id })),
    );
    expect(await eventsOf(session)).toEqual(["team_joined", "team_left"]);
  });

  it("[PEER-11] the connection that came last holds a named peer; the one before is replaced and does not come back", async () => {
    const session = await createTestSession(transport);
    const { peer, team_id } = await join(session, { peer_name: "aspen" });
    const [first, second] = await Promise.all([holdInbox(session, peer), holdInbox(session, peer)]);
    await expect
      .poll(() => [first, second].map(({ state }) => state.status).sort())
      .toEqual(["closed", "open"]);
    const [older, newer] = first.state.status === "closed" ? [first, second] : [second, first];
    expect(older.state).toMatchObject({ reason: expect.stringContaining("newer connection") });
    expect(await expectFailure(older.call("get_app_info", {}))).toMatchObject({
      details: { close_code: 4409 },
    });
    // The same connection may open its inbox again. A team's unnamed peer may have any number of inboxes.
    await newer
      .inbox({ session: session.slug, teamId: peer, onMessage: () => undefined })
      .ready.catch(() => null);
    const unnamed = await Promise.all([holdInbox(session, team_id), holdInbox(session, team_id)]);
    expect([newer, ...unnamed].map(({ state }) => state.status)).toEqual(["open", "open", "open"]);
    const { participants } = await transport.call("list_participants", { session_id: session.sessionId });
    expect(participants[1]).toMatchObject({ connections: 3, status: "active" });
    expect(await eventsOf(session)).toEqual(["team_joined"]);
  });

  it("[PEER-12] a peer whose connection says goodbye is disconnected at once, one whose connection is lost is not", async () => {
    const session = await createTestSession(transport);
    const lost = await join(session, { peer_name: "lost" });
    const gone = await join(session, { team_id: lost.team_id, peer_name: "gone" });
    const statuses = async () =>
      Object.fromEntries((await listPeers(session)).map(({ name, presence }) => [name, presence]));
    const socket = await openInbox(session, lost.peer);
    const client = await holdInbox(session, gone.peer);
    expect(await listPeers(session)).toMatchObject([{}, { connected: true }, { connected: true }]);
    client
      .call("wait_for_messages", { session_id: session.sessionId, team_id: gone.peer })
      .catch(() => undefined);
    await expect.poll(async () => (await listPeers(session))[2]).toMatchObject({ polling: true });
    await client.close();
    socket.terminate();
    await expect.poll(statuses).toMatchObject({ gone: "disconnected" });
    await expect.poll(async () => (await listPeers(session))[1]).toMatchObject({ connected: false });
    expect((await statuses())["lost"]).not.toBe("disconnected");
    await session.post(gone.peer, "here again");
    await expect.poll(statuses).toMatchObject({ gone: "active" });
  });

  it("[PEER-13] a peer joins groups once, changes its role there, leaves them, and all is as it was after a restart", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const { peer: team_id } = await join(session, { peer_name: "aspen" });
    const joinGroup = (name: string, role?: string) =>
      transport.call("join_group", { session_id, team_id, name, ...(role && { role }) });
    await joinGroup("@Backend");
    await joinGroup("backend", "lead");
    await joinGroup("BACKEND");
    expect((await joinGroup("backend/db")).groups).toEqual([
      { name: "Backend", role: "lead" },
      { name: "backend/db", role: null },
    ]);
    for (const name of ["all", "Humans"]) {
      expect(await expectFailure(joinGroup(name))).toMatchObject({ code: "bad_request" });
    }
    const leave = (name: string) => transport.call("leave_group", { session_id, team_id, name });
    expect((await leave("backend/DB")).groups).toEqual([{ name: "Backend", role: "lead" }]);
    expect((await leave("nowhere")).groups).toHaveLength(1);
    await transport.call("set_status", { session_id, team_id, status: "blocked", reason: "a key" });
    await transport.call("set_summary", { session_id, team_id, summary: "waits" });
    const before = (await listPeers(session))[1];
    await broker.restart();
    // The time of the last activity is saved only every few seconds.
    const seen = { status: expect.any(String), last_seen_at: expect.any(String) };
    expect((await listPeers(session))[1]).toEqual({ ...before, ...seen });
    await session.post(team_id, "still here");

    const many = Array.from({ length: limits.groupsPerPeerMax - 1 }, (_, n) => `g${n}`);
    await Promise.all(many.map((name) => joinGroup(name)));
    expect((await listPeers(session))[1]?.groups).toHaveLength(limits.groupsPerPeerMax);
    const failure = await expectFailure(joinGroup("more"));
    expect(failure).toMatchObject({ code: "bad_request", details: { groups_max: limits.groupsPerPeerMax } });
  });

  it("[WAKE-20] what nudges a peer is chosen at its join, by itself, and by a verified person for it", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    const { peer: team_id } = await join(session, { peer_name: "aspen", wake: "addressed" });
    const aspen = async () => (await listPeers(session)).find(({ name }) => name === "aspen");
    expect(await aspen()).toMatchObject({ wake: "addressed" });
    await join(session, { team_id });
    expect(await aspen()).toMatchObject({ wake: "addressed" });
    expect(await transport.call("set_wake", { session_id, team_id, wake: "everything" })).toEqual({
      wake: "everything",
    });
    expect(await aspen()).toMatchObject({ wake: "everything" });
    expect(await listPeers(session)).toMatchObject([{ wake: "everything" }, {}]);

    const peer_id = (await aspen())?.peer_id ?? "";
    const choose = (caller: string, peer = peer_id) =>
      transport.call("set_wake", { session_id, team_id: caller, peer_id: peer, wake: "addressed" });
    const { person_id: ana } = await makePerson(transport, "Ana");
    const { person_id: guest } = await transport.call("create_person", { name: "Bo" });
    expect(await expectFailure(choose(convener))).toMatchObject({ code: "forbidden" });
    expect(await expectFailure(choose(guest))).toMatchObject({
      code: "forbidden",
      details: { needs: "verification" },
    });
    expect(await expectFailure(choose(ana, randomUUID()))).toMatchObject({ code: "not_found" });
    expect(await aspen()).toMatchObject({ wake: "everything" });
    await choose(ana);
    expect(await aspen()).toMatchObject({ wake: "addressed" });
  });

  it("[PEER-15] a summary and [PEER-16] a status are shown; what is observed does not replace what was declared", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const { peer: team_id } = await join(session, { peer_name: "aspen" });
    const setStatus = async (status: "idle" | "working" | "dnd" | "blocked", rest: object = {}) =>
      (await transport.call("set_status", { session_id, team_id, status, ...rest })).declared.status;
    expect(await setStatus("working", { automatic: true })).toBe("working");
    expect(await setStatus("dnd")).toBe("dnd");
    expect(await setStatus("idle", { automatic: true })).toBe("dnd");
    expect(await expectFailure(setStatus("blocked"))).toMatchObject({ code: "bad_request" });
    expect(await setStatus("blocked", { reason: "the vault" })).toBe("blocked");
    expect(await setStatus("working", { automatic: true })).toBe("blocked");
    expect((await listPeers(session))[1]?.declared).toMatchObject({ status: "blocked", reason: "the vault" });
    expect(await setStatus("idle")).toBe("idle");
    expect((await listPeers(session))[1]?.declared).toMatchObject({ status: "idle", reason: null });
    await transport.call("set_summary", { session_id, team_id, summary: "  reads  " });
    expect((await listPeers(session))[1]).toMatchObject({ summary: "reads", summary_at: expect.any(String) });
    await transport.call("set_summary", { session_id, team_id, summary: "" });
    expect((await listPeers(session))[1]).toMatchObject({ summary: "", summary_at: null });
    expect(await expectFailure(transport.callRaw("set_summary", { session_id, summary: "x" }))).toMatchObject(
      {
        code: "unauthorized",
      },
    );
  });

  it("[PEER-18] what is declared with the team's credential counts for its peers everywhere, until a word of the team frees them", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const { team_id, peer } = await join(session, { peer_name: "aspen" });
    const setStatus = async (credential: string, status: "idle" | "working" | "dnd" | "blocked", rest = {}) =>
      (await transport.call("set_status", { session_id, team_id: credential, status, ...rest })).declared;
    const shown = async () => {
      const { participants } = await transport.call("list_participants", { session_id });
      const { sessions } = await transport.call("list_sessions", {});
      const { cursor, recipients } = await transport.call("post_message", {
        session_id,
        team_id: session.convener,
        content: { text: "hello" },
        to: "aspen",
      });
      const { recipients: later } = await transport.call("message_status", { session_id, message: cursor });
      const present = sessions.find((each) => each.session_id === session_id)?.present[1];
      return {
        peer: (await listPeers(session))[1]?.declared?.status ?? null,
        team: participants[1]?.declared?.status ?? null,
        list: [present?.blocked, present?.dnd],
        posted: recipients?.[0]?.declared ?? null,
        later: later[0]?.declared ?? null,
      };
    };
    const everywhere = (status: "dnd" | "blocked" | null) => ({
      ...{ peer: status, team: status, posted: status, later: status },
      list: [status === "blocked", status === "dnd"],
    });
    await setStatus(team_id, "blocked", { reason: "the key" });
    expect(await shown()).toEqual(everywhere("blocked"));
    expect((await listPeers(session))[1]?.declared).toMatchObject({ reason: "the key" });
    expect(await setStatus(peer, "working", { automatic: true })).toMatchObject({ status: "blocked" });
    await setStatus(team_id, "dnd");
    expect(await shown()).toEqual(everywhere("dnd"));
    await setStatus(peer, "blocked", { reason: "a licence" });
    expect(await shown()).toEqual(everywhere("blocked"));
    expect(await setStatus(peer, "idle")).toMatchObject({ status: "idle" });
    const { items } = await transport.call("list_attention", { session: session_id });
    expect(items.filter(({ kind }) => kind === "blocked")).toEqual([]);
    expect(await shown()).toMatchObject({ peer: "idle", team: null, list: [false, false], later: "idle" });
  });

  it("[WS-8] whoever follows is told that the roster has changed", async () => {
    const session = await createTestSession(transport);
    const { team_id } = await join(session, {});
    const client = await holdInbox(session, session.convener);
    const changes: string[] = [];
    await client.follow({
      session: session.sessionId,
      onMessage: () => undefined,
      onChanged: ({ kind }) => changes.push(kind),
    }).ready;
    const { peer } = await join(session, { team_id, peer_name: "aspen" });
    const untilChanges = async (count: number) =>
      expect.poll(() => changes.length).toBeGreaterThanOrEqual(count);
    await untilChanges(1);
    await transport.call("set_summary", { session_id: session.sessionId, team_id: peer, summary: "x" });
    await untilChanges(2);
    await join(session, { team_id: peer });
    await untilChanges(3);
    expect(new Set(changes)).toEqual(new Set(["roster"]));
  });

  it("[AUTH-6] a peer's live credential is refused in a text; [AUTH-7] a peer replaces its own alone", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const { peer, team_id } = await join(session, { peer_name: "aspen" });
    const failure = await expectFailure(session.post(session.convener, `use ${peer}`));
    expect(failure).toMatchObject({ code: "bad_request", details: { peer_id: toBareId(peer) } });
    const rotated = await transport.call("rotate_team_credential", { session_id, team_id: peer });
    expect(toBareId(rotated.team_id)).toBe(toBareId(peer));
    expect(await expectFailure(session.post(peer, "old"))).toMatchObject({ code: "unauthorized" });
    await session.post(rotated.team_id, "new");
    await session.post(team_id, `the team's own goes on, and ${peer} is nobody's`);
  });

  it("[IDEM-1] a repeated joining gives the same credentials, and two peers of a team may use one key", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const joining = { peer_name: "aspen", idempotency_key: randomUUID() };
    const first = await join(session, joining);
    expect(await join(session, joining)).toMatchObject({ team_id: first.team_id, peer_id: first.peer_id });
    const cedar = await join(session, { team_id: first.team_id, peer_name: "cedar" });
    const summaries: string[] = [];
    for (const team_id of [first.peer, cedar.peer, first.team_id]) {
      const input = { session_id, team_id, summary: team_id.slice(0, 8), idempotency_key: "the same" };
      summaries.push((await transport.call("set_summary", input)).summary);
    }
    expect(summaries).toEqual([first.peer, cedar.peer, first.team_id].map((id) => id.slice(0, 8)));
  });

  it("[MCP-2] an MCP session that joined with a peer's name goes on as that peer", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const client = await connectClient(`${broker.url}/mcp`, onTestFinished);
    const call = async (name: string, args: object) =>
      readText(await client.callTool({ name, arguments: { session_id, ...args } }));
    const joined = await call("join_session", { team_name: "Birch", peer_name: "aspen" });
    await call("set_summary", { summary: "by memory" });
    expect(await listPeers(session)).toMatchObject([{}, { name: "aspen", summary: "by memory" }]);
    const again = await call("join_session", { team_name: "Birch", peer_name: "ASPEN" });
    expect(again).toMatchObject({ resumed: true, peer_id: joined["peer_id"] });
    const other = await call("join_session", { team_name: "Birch", peer_name: "cedar" });
    expect(other).toMatchObject({ resumed: false, team_name: "Birch (2)", peer_name: "cedar" });
  });
});

/** Opens a peer's inbox on a socket that the test can break. */
async function openInbox({ sessionId }: TestSession, team_id: string): Promise<WebSocket> {
  const socket = new WebSocket(`${broker.url.replace(/^http/, "ws")}/ws`);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const replied = new Promise((resolve) => {
    socket.on("message", (data) => JSON.parse(String(data)).type === "reply" && resolve(null));
  });
  socket.send(JSON.stringify({ type: "subscribe", id: 1, kind: "inbox", session_id: sessionId, team_id }));
  await replied;
  return socket;
}

/** The expected state of a peer in the session's roster. */
interface Modelled {
  readonly credential: string;
  readonly team: string;
  name: string;
  there: boolean;
}

const actions = fc.array(
  fc.record({
    do: fc.constantFrom("join", "add", "add", "resume", "resume", "leave", "leave team", "retire"),
    which: fc.nat(30),
    name: fc.constantFrom("aspen", "ASPEN", "cedar", "cedar-2", "Atlas"),
  }),
  { minLength: 5, maxLength: 14 },
);

describe("the roster's peers, whatever comes", () => {
  it("[PEER-3] [PEER-4] [PEER-9] [PEER-10] names are unique among those who are there, and each peer is one row", async () => {
    const sql = connectTestDatabase(broker.databaseUrl);
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const session = await createTestSession(transport);
        const peers = new Map<string, Modelled>();
        const teams: string[] = [];
        for (const step of steps) await take(step, { session, peers, teams });

        const listed = (await listPeers(session, true)).filter(({ name }) => name !== null);
        const told = listed.map(({ peer_id, name, left_at }) => [peer_id, name, left_at === null]);
        const modelled = [...peers].map(([id, { name, there }]) => [id, name, there]);
        expect(told.sort()).toEqual(modelled.sort());
        const present = listed.flatMap(({ name, left_at }) => (left_at ? [] : (name?.toLowerCase() ?? [])));
        expect(new Set(present).size).toBe(present.length);
      }),
      { numRuns: Number(process.env["MERKLE_PEER_RUNS"] ?? countRounds(4)) },
    );

    type World = { session: TestSession; peers: Map<string, Modelled>; teams: string[] };

    async function take(
      step: { do: string; which: number; name: string },
      { session, peers, teams }: World,
    ): Promise<void> {
      const { sessionId: session_id } = session;
      const all = [...peers.values()];
      const peer = all[step.which % all.length];
      const team = teams[step.which % teams.length];
      const isTaken = (name: string) =>
        all.some((each) => each.there && each.name.toLowerCase() === name.toLowerCase());
      switch (step.do) {
        case "join":
        case "add": {
          const owner = step.do === "add" && team !== undefined ? { team_id: team } : {};
          // "Atlas" is the name of the convener's team.
          const refused = isTaken(step.name) || step.name === "Atlas";
          const joining = join(session, { ...owner, team_name: "Dora", peer_name: step.name });
          if (refused) {
            const { code, details } = await expectFailure(joining);
            expect([code, isTaken(String(details["free_name"]))]).toEqual(["conflict", false]);
            return;
          }
          const { team_id, peer: credential } = await joining;
          if (!teams.includes(team_id)) teams.push(team_id);
          peers.set(toBareId(credential), { credential, team: team_id, name: step.name, there: true });
          return;
        }
        case "resume": {
          if (!peer) return;
          const { peer_name } = await join(session, { team_id: peer.credential });
          if (peer.there || !isTaken(peer.name)) expect(peer_name).toBe(peer.name);
          else expect(isTaken(peer_name ?? "")).toBe(false);
          Object.assign(peer, { name: peer_name, there: true });
          return;
        }
        case "leave": {
          if (!peer) return;
          const leaving = transport.call("leave_session", { session_id, team_id: peer.credential });
          if (!peer.there) expect(await expectFailure(leaving)).toMatchObject({ code: "unauthorized" });
          await leaving.catch(() => undefined);
          peer.there = false;
          return;
        }
        case "leave team": {
          if (!team) return;
          await transport.call("leave_session", { session_id, team_id: team }).catch(() => undefined);
          for (const each of all) if (each.team === team) each.there = false;
          return;
        }
        case "retire": {
          if (!peer) return;
          const id = toBareId(peer.credential);
          // The broker may still save the peer's last call, which would make the peer active again.
          for (let left = null; left === null; ) {
            await sql`
              UPDATE peers SET last_seen_at = now() - make_interval(days => ${limits.peerRetiredAfterDays + 1})
              WHERE session_id = ${session_id} AND peer_id = ${id}`;
            await retirePeers(database.orm, limits.peerRetiredAfterDays, []);
            const [row] = await sql`
              SELECT left_at FROM peers WHERE session_id = ${session_id} AND peer_id = ${id}`;
            left = row?.["left_at"];
          }
          peer.there = false;
        }
      }
    }
  });
});
