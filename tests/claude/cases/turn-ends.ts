import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { startMesh } from "../kit/mesh.js";

it("[WAKE-9] [WAKE-16] a turn that an error ended is not taken for one that its user interrupted: mail wakes at once", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const accept = birch.model.refuse("say nothing");
  await birch.prompt("say nothing");
  await birch.terminal.shows("This request is refused.");
  await birch.rests();
  await expect.poll(async () => (await mesh.findPeer("Birch"))?.declared).toMatchObject({ status: "idle" });
  accept();
  const { letter, postedAtMs } = await mesh.write("Birch");
  expect((await birch.model.shows(letter)).atMs - postedAtMs).toBeLessThan(12_000);
});
