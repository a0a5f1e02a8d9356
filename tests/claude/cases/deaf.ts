import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { longTool } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";
import { lettersIn } from "../kit/shown.js";

it("[WAKE-15] an agent whose server was killed during a turn, and which nobody repairs, is blocked in the roster and gets its mail in order", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const tool = longTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.runs();
  await killProcess((await birch.processes()).server.pid);
  await tool.end();
  await birch.rests();
  const letters = [(await mesh.write("Birch")).letter, (await mesh.write("Birch")).letter];
  const shown = () => lettersIn(birch.model.conversation);
  await expect.poll(shown).toEqual(letters);
  const declared = async () => (await mesh.findPeer("Birch"))?.declared;
  await expect
    .poll(declared)
    .toMatchObject({ status: "blocked", reason: expect.stringContaining("type /mcp") });
  await birch.rests();
  letters.push((await mesh.write("Birch")).letter);
  await expect.poll(shown).toEqual(letters);
});
