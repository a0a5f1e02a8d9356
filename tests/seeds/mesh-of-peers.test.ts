import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { installTestClaude } from "../../apps/cli/src/test-kit/claude.js";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { callTool, initialize } from "../mcp/rpc.js";

/** Runs the examples from the description of a mesh of peers (docs/deviations.md). */

let url: string;
let rest: TransportClient;

beforeAll(async () => {
  ({ url } = await getSharedBroker());
  rest = await transports.rest(url);
});

async function createSession(creator_team_name = "Alice"): Promise<{ session_id: string; team_id: string }> {
  const { session_id, team_id } = await rest.call("create_session", {
    title: `Mesh ${randomUUID()}`,
    creator_team_name,
  });
  return { session_id, team_id };
}

describe("tools over MCP over HTTP", () => {
  /** Connects a client that has joined one session and never names the session in its calls. */
  async function connectPeer(name: string, session_id: string) {
    const headers = { "mcp-session-id": await initialize(`${url}/mcp`) };
    const call = (tool: string, args?: object) => callTool(`${url}/mcp`, tool, args, { headers });
    await call("join_session", { session_id, team_name: name });
    return call;
  }

  it("[MCP-19] each of its fourteen calls works as written, without a session", async () => {
    const { session_id } = await createSession();
    const [bob, alex] = [await connectPeer("Bob", session_id), await connectPeer("Alex", session_id)];
    const marker = `gateway${randomUUID().slice(0, 8)}`;

    expect(await bob("join_group", { name: "frontend", role: "member" })).toMatchObject({
      groups: [{ name: "frontend", role: "member" }],
    });
    await alex("send_message", { to: "@frontend", message: "auth is broken" });
    await alex("send_message", { to: "*", message: "standup", priority: "next" });
    expect(await bob("check_messages")).toMatchObject({
      messages: [
        { event: "team_joined" },
        { content: { text: "auth is broken" }, from: { team: "Alex" } },
        { content: { text: "standup" } },
      ],
    });
    await bob("set_summary", { summary: "Implementing auth UI" });
    await bob("set_status", { status: "working" });
    expect(await alex("list_peers", { group: "frontend" })).toMatchObject({
      peers: [{ team: "Bob", groups: [{ name: "frontend", role: "member" }] }],
    });
    expect(await bob("leave_group", { name: "frontend" })).toMatchObject({ groups: [] });

    await bob("watch_state", { key: "deploy_frozen" });
    await alex("set_state", { key: "deploy_frozen", value: true });
    expect(await bob("get_state", { key: "deploy_frozen" })).toMatchObject({
      value: true,
      updatedBy: "Alex",
    });
    expect(await bob("list_state")).toMatchObject({
      entries: [{ key: "deploy_frozen", value: true, updatedBy: "Alex", updatedAt: expect.any(String) }],
    });
    expect(await bob("check_messages")).toMatchObject({
      messages: [{ event: "state_changed", key: "deploy_frozen", value: true }],
    });

    const content = `Payments API ${marker} rate-limits at 100 req/s after the March incident`;
    const { id } = await alex("remember", { content, tags: ["payments"] });
    expect(await bob("recall", { query: `payments API ${marker}` })).toMatchObject({
      memories: [{ id, content, rememberedBy: "Alex", rememberedAt: expect.any(String) }],
    });
    await alex("forget", { id });
    expect(await bob("recall", { query: marker })).toMatchObject({ memories: [] });
  });
});

describe("the command line", () => {
  it("[LAUNCH-3] [PEER-8] launch makes a peer with name, role and groups, which list_peers shows as drawn", async () => {
    const { session_id } = await createSession("Atlas");
    const merkle = await testMerkle();
    const bin = await installTestClaude(merkle.home);
    const env = {
      MERKLE_URL: url,
      MERKLE_SESSION: session_id,
      PATH: `${bin}:${process.env["PATH"]}`,
      TEST_RECORD: join(merkle.home, "record.json"),
      TEST_END: "0",
    };
    const launch = (line: string) => merkle.run(line.split(" "), { env });
    const full = "launch --name Alice --role dev --groups frontend:lead,reviewers -y";
    expect(await launch(full)).toMatchObject({ code: 0 });
    expect(await launch("launch --name Bob --groups frontend:lead,reviewers:member,all -y")).toMatchObject({
      code: 0,
    });

    const headers = { "mcp-session-id": await initialize(`${url}/mcp`) };
    const call = (tool: string, args: object) => callTool(`${url}/mcp`, tool, args, { headers });
    await call("join_session", { session_id, team_name: "Carol" });
    const { peers } = await call("list_peers", {});
    const named = (name: string) => Object(peers).find((peer: { name: string | null }) => peer.name === name);
    expect(named("Alice")).toMatchObject({
      name: "Alice",
      role: "dev",
      groups: [
        { name: "frontend", role: "lead" },
        { name: "reviewers", role: null },
      ],
    });
    expect(named("Bob").groups).toEqual([
      { name: "frontend", role: "lead" },
      { name: "reviewers", role: "member" },
    ]);
    await call("join_session", {
      session_id,
      team_name: "Dave",
      peer_name: "dave",
      groups: ["frontend:lead"],
    });
    await call("set_status", { status: "working" });
    await call("set_summary", { summary: "Implementing auth UI" });
    const group = await call("list_peers", { group: "frontend" });
    expect(group).toMatchObject({
      peers: [
        { name: "Alice" },
        { name: "Bob" },
        {
          name: "dave",
          status: "working",
          groups: [{ name: "frontend", role: "lead" }],
          summary: "Implementing auth UI",
        },
      ],
    });
  });
});

describe("messages over WebSocket", () => {
  interface Frame {
    readonly type: string;
    readonly [field: string]: unknown;
  }

  /** Connects a client as in the description. Such a client distinguishes replies only by their type. */
  async function connectPeer(own?: { session_id: string; team_id: string }) {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
    const frames: Frame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    onTestFinished(() => socket.terminate());
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    const next = async (type: string, count = 1) => {
      await expect
        .poll(() => frames.filter((frame) => frame.type === type).length)
        .toBeGreaterThanOrEqual(count);
      return frames.filter((frame) => frame.type === type)[count - 1];
    };
    if (own) {
      send({ type: "subscribe", id: "inbox", kind: "inbox", ...own });
      await next("reply");
    }
    return { send, next, frames, socket };
  }

  it("[WS-14] join_group and leave_group change the groups that list_peers shows", async () => {
    const own = await createSession();
    const peer = await connectPeer(own);
    peer.send({ type: "join_group", name: "frontend", role: "lead" });
    peer.send({ type: "join_group", name: "reviewers", role: "member" });
    peer.send({ type: "leave_group", name: "reviewers" });
    const groups = async () => (await rest.call("list_peers", own)).peers[0]?.groups;
    await expect.poll(groups).toEqual([{ name: "frontend", role: "lead" }]);
  });

  it("[WS-14] set_state is pushed as state_change, get_state answers state_result, list_state state_list", async () => {
    const own = await createSession();
    const peer = await connectPeer(own);
    peer.send({ type: "set_state", key: "deploy_frozen", value: true });
    expect(await peer.next("state_change")).toMatchObject({
      type: "state_change",
      key: "deploy_frozen",
      value: true,
      updatedBy: "Alice",
    });
    peer.send({ type: "get_state", key: "deploy_frozen" });
    expect(await peer.next("state_result")).toMatchObject({
      type: "state_result",
      key: "deploy_frozen",
      value: true,
    });
    peer.send({ type: "list_state" });
    expect(await peer.next("state_list")).toMatchObject({
      type: "state_list",
      entries: [
        { key: "deploy_frozen", value: true, updatedBy: "Alice", updatedAt: expect.stringMatching(/Z$/) },
      ],
    });
  });

  it("[WS-14] remember answers memory_stored, recall memory_results, and forget hides what memoryId names", async () => {
    const peer = await connectPeer(await createSession());
    const marker = `gateway${randomUUID().slice(0, 8)}`;
    const content = `Payments API ${marker} rate-limits at 100 req/s after the March incident`;
    peer.send({ type: "remember", content, tags: ["payments"] });
    const { id } = Object(await peer.next("memory_stored"));
    expect(id).toMatch(/^mem_\d+$/);
    peer.send({ type: "recall", query: `payments API ${marker}` });
    expect(await peer.next("memory_results")).toMatchObject({
      memories: [{ id, content, rememberedBy: "Alice", rememberedAt: expect.any(String) }],
    });
    peer.send({ type: "forget", memoryId: id });
    peer.send({ type: "ping", id: "after" });
    const recalled = async () => {
      peer.send({ type: "recall", query: marker, id: randomUUID() });
      const replies = peer.frames.filter(({ type, id }) => type === "reply" && String(id).length === 36);
      return Object(replies.at(-1)?.["output"]).memories;
    };
    await expect.poll(recalled).toEqual([]);
  });

  it("[WS-14] with an id an alias gets a reply, and another session than the inbox can be named", async () => {
    const [own, other] = [await createSession(), await createSession()];
    const peer = await connectPeer(own);
    peer.send({ type: "set_state", id: 1, key: "color", value: "red", ...other });
    await expect
      .poll(() => peer.frames.find(({ id }) => id === 1))
      .toMatchObject({ type: "reply", output: { key: "color", version: 1 } });
    peer.send({ type: "list_state" });
    expect(await peer.next("state_list")).toMatchObject({ entries: [] });
  });

  it("[WS-14] [WS-7] what cannot be done is an error frame, and the connection stays", async () => {
    const peer = await connectPeer();
    peer.send({ type: "set_state", key: "deploy_frozen", value: true });
    expect(await peer.next("error")).toMatchObject({ error: { code: "bad_request" } });
    peer.send({ type: "recall" });
    expect(await peer.next("error", 2)).toMatchObject({ error: { code: "bad_request" } });
    const own = await createSession();
    peer.send({ type: "get_state", key: "not_set", ...own });
    expect(await peer.next("error", 3)).toMatchObject({ error: { code: "not_found" } });
    expect(peer.socket.readyState).toBe(WebSocket.OPEN);
  });
});
