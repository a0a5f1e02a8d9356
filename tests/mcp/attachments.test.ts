import { expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";
import { callTool } from "./rpc.js";

it("[MCP-23] [ATTACH-23] over HTTP a model gets the address of a file, and its bytes only from there", async () => {
  const { url } = await getSharedBroker();
  const session = await createTestSession(await transports.rest(url));
  const { sessionId: session_id, convener: team_id } = session;
  const headers = { "x-team-id": team_id };
  const text = "step 1\nstep 2 failed\n";
  const uploaded = await fetch(`${url}/api/sessions/${session_id}/files?name=build.log`, {
    method: "PUT",
    headers,
    body: text,
  });
  const attachments = [await uploaded.json()];
  const posted = await callTool(`${url}/mcp`, "post_message", {
    session_id,
    team_id,
    content: { text: "It fails.", attachments },
  });
  const file = await callTool(`${url}/mcp`, "read_attachment", {
    session_id,
    team_id,
    message: posted["cursor"],
  });
  expect(file).toMatchObject({ name: "build.log", type: "text/plain", size: 21, digest: expect.any(String) });
  expect(file).not.toHaveProperty("path");
  expect(JSON.stringify(file)).not.toContain("step");
  const address = new URL(String(file["url"]));
  expect(await (await fetch(new URL(address.pathname, url), { headers })).text()).toBe(text);
});
