import { connect, type MeshChange } from "@merkle/wire/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson as makeVerified } from "../kit/persons.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

function openClient() {
  const client = connect({ url: broker.url, WebSocket, retry: { baseMs: 20, capMs: 100 } });
  onTestFinished(() => client.close());
  return client;
}

/** Creates a client that watches the mesh, and records the changes that it receives. */
async function watch(credential?: string) {
  const client = openClient();
  const told: MeshChange[] = [];
  let restored = 0;
  const watching = client.watchMesh({
    ...(credential === undefined ? {} : { credential }),
    onChanged: (change) => told.push(change),
    onRestored: () => {
      restored += 1;
    },
  });
  await watching.ready;
  return {
    told,
    watching,
    restored: () => restored,
    /** Resolves when a change of this kind arrives as a result of `work`. Earlier changes are ignored. */
    async hears(kind: MeshChange["kind"], session_id: string | null, work: () => Promise<unknown>) {
      told.length = 0;
      await work();
      await expect.poll(() => told).toContainEqual({ kind, session_id });
    },
  };
}

type Watcher = Awaited<ReturnType<typeof watch>>;

async function makePerson(name: string): Promise<string> {
  return (await makeVerified(transport, name)).person_id;
}

/**
 * Waits until all changes so far have arrived. A session's changes arrive in order, each kind at most once a second.
 */
async function settle({ hears }: Watcher, session: TestSession): Promise<void> {
  await hears("sessions", session.sessionId, () => session.post(session.convener, "settled"));
}

describe("Watching the mesh", () => {
  it("[MESH-1] tells of sessions, memory and settings, with the session that it concerns", async () => {
    const watcher = await watch();
    const { hears } = watcher;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await expect.poll(() => watcher.told).toContainEqual({ kind: "sessions", session_id });
    await hears("sessions", session_id, () =>
      transport.call("append_to_session_doc", { session_id, team_id, text: "text" }),
    );
    await hears("memory", null, () =>
      transport.call("remember", { team_id, content: "the key is in the vault" }),
    );
    const entry = { team_id, projectId: "p", title: "Vault", content: "The key is in it." };
    await hears("progress", null, () => transport.call("log_progress", entry));
    await hears("settings", null, () => changeSettings(transport, { settings: { idle_polls: 11 } }));
    await hears("settings", session_id, () =>
      changeSettings(transport, { session_id, session_settings: { message_budget: 5 } }),
    );
  });

  it("[MESH-2] tells of what begins and ends to wait for a human", async () => {
    const watcher = await watch();
    const { hears } = watcher;
    const session = await createTestSession(transport);
    const at = { session_id: session.sessionId, team_id: session.convener };
    const ana = { session_id: session.sessionId, team_id: await makePerson("Ana") };
    let asked = 0;
    await hears("attention", session.sessionId, async () => {
      asked = (await transport.call("post_message", { ...at, content: { text: "Which?", kind: "ask" } }))
        .cursor;
    });
    await hears("attention", session.sessionId, () =>
      transport.call("set_status", { ...at, status: "blocked", reason: "no key" }),
    );
    await hears("attention", session.sessionId, () =>
      transport.call("post_message", { ...ana, reply_to: asked, content: { text: "this", answer: "this" } }),
    );
    await hears("attention", session.sessionId, () => transport.call("hold_session", ana));
    await hears("attention", session.sessionId, () =>
      transport.call("conclude_session", { ...at, summary_section: "Done." }),
    );
  });

  it("[MESH-3] tells two browsers of one person what either has read and put away, and nobody else", async () => {
    const session = await createTestSession(transport);
    const ana = await makePerson("Ana");
    const [here, there, bo] = await Promise.all([watch(ana), watch(ana), watch(await makePerson("Bo"))]);
    await settle(bo, session);
    const read = { kind: "person" as const, session_id: session.sessionId };
    await transport.call("mark_read", { session_id: session.sessionId, team_id: ana });
    for (const { told } of [here, there]) await expect.poll(() => told).toContainEqual(read);
    const id = `quiet:${session.sessionId}:1`;
    await transport.call("dismiss_attention", { id, team_id: ana });
    for (const { told } of [here, there]) {
      await expect.poll(() => told).toContainEqual({ kind: "person", session_id: null });
    }
    await settle(bo, session);
    expect(bo.told.filter(({ kind }) => kind === "person")).toEqual([]);
  });

  it("[MESH-4] changes that follow fast are told together, the last of them for certain", async () => {
    const watcher = await watch();
    const session = await createTestSession(transport);
    await settle(watcher, session);
    watcher.told.length = 0;
    const posts = 50;
    for (let i = 0; i < posts; i += 1) await session.post(session.convener, `${i}`);
    const ofSession = () => watcher.told.filter((each) => each.session_id === session.sessionId).length;
    const soFar = ofSession();
    expect(soFar).toBeLessThan(posts);
    await expect.poll(ofSession).toBeGreaterThan(soFar);
  });

  it("[MESH-5] [CLIENT-10] a watch stands again after a restart of the broker, and says so", async () => {
    const watcher = await watch();
    expect(watcher.restored()).toBe(0);
    await broker.restart();
    await expect.poll(watcher.restored).toBe(1);
    await createTestSession(transport);
    await expect.poll(() => watcher.told.map(({ kind }) => kind)).toContain("sessions");
    watcher.watching.close();
  });

  it("[MESH-5] a credential that proves nobody is refused", async () => {
    const session = await createTestSession(transport);
    const refused = openClient().watchMesh({
      credential: `${session.convener.slice(0, -1)}${session.convener.endsWith("x") ? "y" : "x"}`,
      onChanged: () => expect.unreachable("It does not watch."),
    });
    await expect(refused.ready).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("[ATT-6] a session where somebody waits for messages is not quiet", async () => {
    const [quiet, listening] = [await createTestSession(transport), await createTestSession(transport)];
    for (const session of [quiet, listening]) await session.post(session.convener, "hello");
    const inbox = openClient().inbox({
      session: listening.sessionId,
      teamId: listening.convener,
      onMessage: () => undefined,
    });
    await inbox.ready;
    await changeSettings(transport, { settings: { quiet_after_s: 1 } });
    const kinds = async ({ slug }: TestSession) =>
      (await transport.call("list_attention", { session: slug })).items.map(({ kind }) => kind);
    await expect.poll(() => kinds(quiet)).toEqual(["quiet"]);
    expect(await kinds(listening)).toEqual([]);
    inbox.close();
    await expect.poll(() => kinds(listening)).toEqual(["quiet"]);
  });
});

describe("Following a session", () => {
  it("[WS-11] tells when a peer has read further, so that message_status would answer something else", async () => {
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const changes: string[] = [];
    const follow = openClient().follow({
      session: session.sessionId,
      onMessage: () => undefined,
      onChanged: ({ kind }) => changes.push(kind),
    });
    await follow.ready;
    const { cursor } = await session.post(session.convener, "hello");
    const at = { session_id: session.sessionId, team_id: birch.credential };
    await transport.call("wait_for_messages", { ...at, timeout: 0 });
    await transport.call("ack", { ...at, cursor });
    await expect.poll(() => changes).toContain("delivery");
  });

  it("[WS-8] tells the roster when a peer comes and goes", async () => {
    const session = await createTestSession(transport);
    const changes: string[] = [];
    const follow = openClient().follow({
      session: session.sessionId,
      onMessage: () => undefined,
      onChanged: ({ kind }) => changes.push(kind),
    });
    await follow.ready;
    const inbox = openClient().inbox({
      session: session.sessionId,
      teamId: session.convener,
      onMessage: () => undefined,
    });
    await inbox.ready;
    await expect.poll(() => changes).toEqual(["roster"]);
    inbox.close();
    await expect.poll(() => changes).toEqual(["roster", "roster"]);
  });
});
