import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { type BrokerClient, createBrokerClient } from "../broker/broker-client.js";
import { listStoredPeers } from "../home/stored-peers.js";
import { type JoinAsPeerOptions, joinAsPeer } from "./join-as-peer.js";

const meshId = "0b6f2f7e-0000-4000-8000-000000000001";

let caller: BrokerClient;

const cleanup = createCleanup();
beforeAll(async () => {
  const { url } = await startTestBroker({}, cleanup);
  caller = createBrokerClient({ base: url, source: "default" }, new AbortController().signal);
});

/**
 * Creates a session and a home, and returns functions for joining the session from that home or from others.
 */
async function setUp() {
  const { session_id: sessionId, slug } = await caller.call("create_session", {
    title: "Split the auth service",
    creator_team_name: "Convener",
  });
  const makeHome = async () => {
    const { path: home, remove } = await makeTestHome();
    onTestFinished(remove);
    return home;
  };
  const home = await makeHome();
  const take = (teamName: string, more: Partial<JoinAsPeerOptions> = {}) =>
    joinAsPeer({
      caller,
      home,
      meshId,
      sessionId,
      teamName,
      defaultPeerName: "claude",
      claudeSessionId: null,
      ...more,
    });
  const joinings = async (name: string) => {
    const { messages } = await caller.call("get_history", { session_id: sessionId });
    return messages.filter((each) => each.event === "team_joined" && each["team"] === name).length;
  };
  const peers = async () => (await caller.call("list_peers", { session_id: sessionId })).peers;
  return { home, makeHome, sessionId, slug, take, joinings, peers };
}

describe("joinAsPeer", () => {
  it("[LAUNCH-4] joins as a peer of a new team, holds both, and resumes the same peer the next time", async () => {
    const { home, slug, take, joinings, peers } = await setUp();
    const sessionKey = { public: `${"A".repeat(43)}=`, private: "B" };
    const first = await take("Birch", {
      claudeSessionId: "a-conversation",
      role: "lead",
      groups: ["backend:lead", "reviewers"],
      cwd: "/work",
      machine: "birch-laptop",
      sessionKey,
    });
    expect(first).toMatchObject({ isResumed: false, joined: { team_name: "Birch", peer_name: "claude" } });
    expect(first.storedPeer).toMatchObject({
      slug,
      team_name: "Birch",
      peer_name: "claude",
      role: "lead",
      groups: ["backend:lead", "reviewers"],
      credential: first.joined.peer_id,
      session_key: sessionKey,
      claude_session_id: "a-conversation",
    });
    const own = (await listStoredPeers(home, meshId)).find((each) => each.peer_id === null);
    expect(own).toMatchObject({
      team_id: first.storedPeer.team_id,
      credential: first.joined.team_id,
      claude_session_id: null,
    });
    expect((await peers()).find((each) => each.name === "claude")).toMatchObject({
      team: "Birch",
      role: "lead",
      groups: [{ name: "backend", role: "lead" }, { name: "reviewers" }],
      cwd: "/work",
      machine: "birch-laptop",
      session_key: sessionKey.public,
    });
    await first.lock.release();

    const second = await take("birch", { sessionId: slug });
    expect(second).toMatchObject({ isResumed: true, joined: { resumed: true, cursor: first.joined.cursor } });
    // Values that are left out when joining again are kept.
    expect(second.storedPeer).toEqual({ ...first.storedPeer, saved_at: second.storedPeer.saved_at });
    expect(await joinings("Birch")).toBe(1);
  });

  it("[LAUNCH-4] adds a numbered peer to the team beside a live one, and resumes each again", async () => {
    const { take, joinings, peers } = await setUp();
    const first = await take("Birch");
    const second = await take("Birch");
    expect(second.storedPeer).toMatchObject({ team_id: first.storedPeer.team_id, peer_name: "claude-2" });
    const named = await take("Birch", { peerName: "atlas" });
    expect(named).toMatchObject({ isResumed: false, storedPeer: { peer_name: "atlas" } });
    for (const { lock: hold } of [first, second, named]) await hold.release();
    expect(await take("Birch")).toMatchObject({
      isResumed: true,
      storedPeer: { peer_id: first.storedPeer.peer_id },
    });
    expect(await take("Birch", { peerName: "Atlas" })).toMatchObject({
      isResumed: true,
      storedPeer: { peer_name: "atlas" },
    });
    expect(await take("Birch")).toMatchObject({
      isResumed: true,
      storedPeer: { peer_id: second.storedPeer.peer_id },
    });
    expect(await take("Birch")).toMatchObject({ isResumed: false, storedPeer: { peer_name: "claude-3" } });
    expect(await take("Birch (x)")).toMatchObject({
      isResumed: false,
      storedPeer: { team_name: "Birch (x)" },
    });
    expect(await joinings("Birch")).toBe(1);
    expect((await peers()).filter((each) => each.team === "Birch")).toHaveLength(4);
  });

  it("[LAUNCH-9] refuses a name that was asked for and that somebody has, with one that is free", async () => {
    const { take, makeHome } = await setUp();
    await take("Birch", { peerName: "atlas" });
    for (const more of [{}, { home: await makeHome() }]) {
      await expect(take("Birch", { peerName: "Atlas", ...more })).rejects.toMatchObject({
        code: "conflict",
        details: { free_name: "Atlas-2" },
      });
    }
    const elsewhere = await take("Birch", { home: await makeHome(), defaultPeerName: "atlas" });
    expect(elsewhere.storedPeer).toMatchObject({ team_name: "Birch (2)", peer_name: "atlas-2" });
  });

  it("[LAUNCH-4] resumes a team's unnamed peer where no name is needed, and a peer's beside a live one", async () => {
    const { home, take, joinings } = await setUp();
    const first = await take("Birch", { defaultPeerName: null });
    expect(first.storedPeer).toMatchObject({ peer_id: null, credential: first.joined.team_id });
    expect(await listStoredPeers(home, meshId)).toEqual([first.storedPeer]);
    const second = await take("Birch", { defaultPeerName: null });
    expect(second.storedPeer).toMatchObject({ team_id: first.storedPeer.team_id, peer_name: "agent" });
    await first.lock.release();
    expect(await take("Birch", { defaultPeerName: null })).toMatchObject({
      isResumed: true,
      storedPeer: { peer_id: null },
    });
    expect(await joinings("Birch")).toBe(1);
  });

  it("[LAUNCH-4] comes back as a peer that has left, and passes over a peer that the broker refuses, which is kept", async () => {
    const { home, sessionId, take } = await setUp();
    const { storedPeer: held, lock: hold } = await take("Birch");
    await caller.call("leave_session", { session_id: sessionId, team_id: held.credential });
    await hold.release();
    const back = await take("Birch");
    expect(back).toMatchObject({ isResumed: true, storedPeer: { peer_id: held.peer_id } });
    await back.lock.release();

    await caller.call("rotate_team_credential", { session_id: sessionId, team_id: held.credential });
    const next = await take("Birch");
    expect(next).toMatchObject({
      isResumed: false,
      storedPeer: { team_id: held.team_id, peer_name: "claude-2" },
    });
    expect((await listStoredPeers(home, meshId)).map((each) => each.peer_name).sort()).toEqual(
      [null, "claude", "claude-2"].sort(),
    );
  });

  it("[LAUNCH-4] says what the broker says of a session that is closed or not there, and holds nothing then", async () => {
    const { sessionId, take } = await setUp();
    const { storedPeer: held, lock: hold } = await take("Birch");
    await caller.call("conclude_session", {
      session_id: sessionId,
      team_id: held.credential,
      summary_section: "Done.",
    });
    await hold.release();
    await expect(take("Birch")).rejects.toMatchObject({ code: "session_closed" });
    await expect(take("Birch")).rejects.toMatchObject({ code: "session_closed" });
    await expect(take("Birch", { sessionId: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  });
});
