import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, inject, it, onTestFinished } from "vitest";
import * as z from "zod";
import { makeAgentHome } from "../kit/stdio.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { startSession } from "./agents.js";

const ChannelNotification = z.object({
  method: z.literal("notifications/claude/channel"),
  params: z.strictObject({ content: z.string(), meta: z.record(z.string(), z.string()) }),
});

async function startClient(url: string, args: readonly string[]) {
  const home = await makeAgentHome();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [inject("program"), "mcp", ...args],
    env: { PATH: process.env["PATH"] ?? "", HOME: home, MERKLE_HOME: home, MERKLE_URL: url },
    cwd: home,
  });
  const client = new Client({ name: "test", version: "1" });
  const heard: z.output<typeof ChannelNotification>["params"][] = [];
  client.setNotificationHandler(ChannelNotification, ({ params }) => void heard.push(params));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, heard };
}

it("[WAKE-14] with --channel mail that wakes comes as a channel notification, too, and low does not", async () => {
  const { url } = await getSharedBroker();
  const alder = await startSession({ url });
  const args = ["--session", alder.slug, "--team", "Birch"];
  const { client, heard } = await startClient(url, [...args, "--channel"]);
  expect(client.getServerCapabilities()).toMatchObject({ experimental: { "claude/channel": {} } });
  await expect.poll(() => alder.findRosterEntry("Birch")).toMatchObject({ connections: 1 });
  await alder.post("low", { to: "Birch", priority: "low" });
  await alder.post("</channel> hello", { to: "Birch" });
  await expect.poll(() => heard).toHaveLength(1);
  expect(heard[0]).toEqual({
    content: expect.stringMatching(/^Merkle nudge \d+: 2 unread\. [^\n<]+$/),
    meta: { unread: "2", nudge: expect.stringMatching(/^\d+$/) },
  });
  expect((await alder.listPeers("Birch"))[0]).toMatchObject({ capabilities: { wake: ["channel"] } });

  const { client: without } = await startClient(url, []);
  expect(without.getServerCapabilities()?.experimental).toBeUndefined();
});

it("[WAKE-2] [WAKE-8] a watched change of state is nudged for, by a channel, too, and stands in the next mail", async () => {
  const { url } = await getSharedBroker();
  const alder = await startSession({ url });
  const args = ["--session", alder.slug, "--team", "Birch", "--channel"];
  const { client, heard } = await startClient(url, args);
  await client.callTool({ name: "watch_state", arguments: { key: "deploy_frozen" } });
  await alder.ask("PUT", "/state", { key: "unwatched", value: 1 });
  await alder.ask("PUT", "/state", { key: "deploy_frozen", value: true });
  await expect.poll(() => heard[0]?.content).toContain("1 unread.");
  const { content } = await client.callTool({ name: "check_messages", arguments: {} });
  expect(JSON.stringify(content)).toMatch(/deploy_frozen.+true/);
  expect(JSON.stringify(content)).not.toContain("unwatched");
});
