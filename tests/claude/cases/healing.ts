import { expect, it, onTestFinished } from "vitest";
import { reconnect, startAgent } from "../kit/agent.js";
import { longTool } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";
import { lettersIn } from "../kit/shown.js";

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
  await birch.model.shows(early.letter);
  await birch.rests();
  await birch.terminal.shows("reconnect merkle");

  const late = await mesh.write("Birch");
  expect(late.posted.recipients).toMatchObject([{ connected: true, wake: ["inbox", "hooks"] }]);
  await birch.model.shows(late.letter);
  await birch.rests();
  const tool = longTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.runs();
  const during = await mesh.write("Birch");
  await tool.end();
  const { news } = await birch.model.shows(during.letter);
  expect(news).toContain("PostToolBatch hook additional context");
  await birch.rests();

  await reconnect(birch);
  await expect.poll(declared).toMatchObject({ status: "idle" });
  const last = await mesh.write("Birch");
  await birch.model.shows(last.letter);
  await birch.rests();
  const letters = [early, late, during, last].map(({ letter }) => letter);
  expect(lettersIn(birch.model.conversation)).toEqual(letters);
  await birch.prompt("call mcp__merkle__check_messages {} then say done");
  await birch.rests();
  expect(lettersIn(birch.model.conversation)).toEqual(letters);
  expect((await mesh.peers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});
