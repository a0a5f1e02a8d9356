import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { createLongTool } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";
import { listLetters } from "../kit/shown.js";

it("[WAKE-3] a prompt that is typed while the agent works takes no letter past a later one", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await birch.prompt("say hello");
  await birch.rests();
  const tool = createLongTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.untilRunning();
  const letters = [(await mesh.write("Birch")).letter];
  await birch.terminal.enter("say more");
  // The client has now run the prompt's hook, but it shows the prompt to the model only after the tool's result.
  await birch.terminal.untilShown("Press up to edit queued");
  letters.push((await mesh.write("Birch")).letter);
  await tool.end();
  await birch.model.waitFor("say more");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(letters);
});

it("[WAKE-3] a prompt that is typed while the model thinks takes no letter past a later one", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const pondering = birch.model.delayReply("say hello");
  await birch.prompt("say hello");
  await pondering.reached;
  const letters = [(await mesh.write("Birch")).letter];
  await birch.terminal.enter("say more");
  await birch.terminal.untilShown("Press up to edit queued");
  letters.push((await mesh.write("Birch")).letter);
  pondering.release();
  await birch.model.waitFor("say more");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(letters);
});
