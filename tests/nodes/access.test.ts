import { randomUUID } from "node:crypto";
import { drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { expect, it, onTestFinished } from "vitest";
import { joinMesh, openAsMember, redeem, startInviteBroker } from "../kit/members.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";
import { startNodes, type TestNode } from "./start-nodes.js";

it("[NODE-9] [NODE-12] of two nodes that redeem one invite at once one lets somebody in, and whom one revokes the other refuses and cuts off", async () => {
  const databaseUrl = await createTestDatabase();
  const common = { bus: "postgres", databaseUrl };
  const { broker: a, admin } = await startInviteBroker(onTestFinished, common);
  const b = await startTestBroker({ auth: "invite", rateLimits: "off", ...common });
  expect(b.broker.firstInvite).toBeNull();

  for (let round = 0; round < 5; round += 1) {
    const { link: invite } = await admin.call("create_invite", {});
    const race = [a, b, a, b].map(({ url }) =>
      redeem(url, { invite, name: "Racer", memberKey: deriveSigningKey(drawSeed()) }),
    );
    const ended = await Promise.allSettled(race);
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  }

  const { link } = await admin.call("create_invite", {});
  const memberKey = deriveSigningKey(drawSeed());
  const birch = await joinMesh(a.url, { invite: link, name: "Birch", memberKey }, onTestFinished);
  const atB = openAsMember(b.url, birch, onTestFinished);
  const { token } = await birch.call("issue_token", { label: "CI" });
  const rest = await brokerTransports.rest(b.url, { token });
  await rest.call("list_sessions", {});
  await atB.call("list_sessions", {});
  await admin.call("revoke_member", { member_id: birch.member_id });
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => "let in",
      ({ code }) => code,
    );
  await expect.poll(() => refusal(rest.call("list_sessions", {}))).toBe("unauthorized");
  await expect.poll(() => refusal(atB.call("list_sessions", {}))).not.toBe("let in");
});

it("[NODE-12] an MCP session goes on at any node as the team that it joined as, and a repeated request is done once", async () => {
  const { nodes } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  const session = await createTestSession(a.client);
  const idempotency_key = randomUUID();
  const posts = await Promise.all(
    [a, b, a, b].map(({ client }) =>
      client.call("post_message", {
        ...{ session_id: session.sessionId, team_id: session.convener, idempotency_key },
        content: { text: "once" },
      }),
    ),
  );
  expect(new Set(posts.map(({ cursor }) => cursor)).size).toBe(1);

  const opened = await rpc(a.url, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const id = opened.sessionId ?? "";
  // Makes both nodes cache the MCP session before a session is joined at one of them.
  await rpc(b.url, "tools/list", {}, id);
  for (const [node, name] of [
    [a, "First"],
    [b, "Second"],
  ] as const) {
    const other = await createTestSession(a.client);
    const joined = await rpc(
      node.url,
      "tools/call",
      tool("join_session", { session_id: other.slug, team_name: name }),
      id,
    );
    expect(joined.text).toContain(name);
    for (const each of [a, b]) {
      const posted = await rpc(
        each.url,
        "tools/call",
        tool("post_message", { session_id: other.slug, content: { text: "from anywhere" } }),
        id,
      );
      expect(posted.text).toContain("message_id");
    }
  }

  const wait = tool("wait_for_messages", {
    session_id: session.slug,
    team_id: session.convener,
    timeout: 20,
  });
  const waiting = rpc(a.url, "tools/call", wait, id, 7);
  const isPolling = async () => {
    const { participants } = await b.client.call("list_participants", { session_id: session.sessionId });
    return participants[0]?.polling;
  };
  await expect.poll(isPolling).toBe(true);
  await rpc(b.url, "notifications/cancelled", { requestId: 7 }, id, null);
  expect((await waiting).text).not.toContain("next_cursor");
  await expect.poll(isPolling).toBe(false);

  const ended = await fetch(`${b.url}/api/mcp`, { method: "DELETE", headers: { "mcp-session-id": id } });
  expect(ended.status).toBe(200);
  expect((await rpc(a.url, "tools/list", {}, id)).text).toContain("MCP session does not exist");
});

function tool(name: string, args: object): object {
  return { name, arguments: args };
}

async function rpc(
  url: string,
  method: string,
  params: object,
  sessionId?: string,
  requestId: number | null = 1,
): Promise<{ readonly text: string; readonly sessionId: string | null }> {
  const response = await fetch(`${url}/api/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...(requestId !== null && { id: requestId }), method, params }),
  });
  return { text: await response.text(), sessionId: response.headers.get("mcp-session-id") };
}
