import { expect, it, onTestFinished } from "vitest";
import { reconnect, startAgent } from "../kit/agent.js";
import { createLongTool } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";
import { listLetters } from "../kit/shown.js";

it("[WAKE-15] an agent whose MCP server was killed is woken and gets its mail nevertheless; people are told, until it is back", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await birch.prompt("say hello");
  await birch.rests();
  await killProcess((await birch.processes()).server.pid);
  // If there are several nodes, the others are notified of the disconnect a moment later.
  await expect.poll(async () => (await mesh.findPeer("Birch"))?.connected).toBe(false);
  const early = await mesh.write("Birch");
  expect(early.posted.recipients).toMatchObject([{ connected: false, wake: [] }]);
  const declared = async () => (await mesh.findPeer("Birch"))?.declared;
  await expect.poll(declared).toMatchObject({ status: "blocked", reason: expect.stringContaining("/mcp") });
  await birch.model.waitFor(early.letter);
  await birch.rests();
  await birch.terminal.untilShown("reconnect merkle");

  const late = await mesh.write("Birch");
  expect(late.posted.recipients).toMatchObject([{ connected: true, wake: ["inbox", "hooks"] }]);
  await birch.model.waitFor(late.letter);
  await birch.rests();
  const tool = createLongTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.untilRunning();
  const during = await mesh.write("Birch");
  await tool.end();
  const { news } = await birch.model.waitFor(during.letter);
  expect(news).toContain("PostToolBatch hook additional context");
  await birch.rests();

  await reconnect(birch);
  await expect.poll(declared).toMatchObject({ status: "idle" });
  const last = await mesh.write("Birch");
  await birch.model.waitFor(last.letter);
  await birch.rests();
  const letters = [early, late, during, last].map(({ letter }) => letter);
  expect(listLetters(birch.model.conversation)).toEqual(letters);
  await birch.prompt("call mcp__merkle__check_messages {} then say done");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(letters);
  expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});
