import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { killInTurn } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";

it("[WAKE-9] [WAKE-16] a turn that an error ended is not taken for one that its user interrupted: mail wakes at once", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const accept = birch.model.refuse("say nothing");
  await birch.prompt("say nothing");
  await birch.terminal.untilShown("This request is refused.");
  await birch.rests();
  await expect.poll(async () => (await mesh.findPeer("Birch"))?.declared).toMatchObject({ status: "idle" });
  accept();
  const { letter, postedAtMs } = await mesh.write("Birch");
  expect((await birch.model.waitFor(letter)).atMs - postedAtMs).toBeLessThan(12_000);
});

it.each(["next", "now"] as const)(
  "[WAKE-15] [WAKE-16] a turn in which the server was killed is not taken for one that its user interrupted: mail of priority %s wakes sooner",
  async (priority) => {
    const mesh = await startMesh(onTestFinished);
    const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
    await killInTurn(birch);
    const { letter, postedAtMs } = await mesh.write("Birch", { priority });
    expect((await birch.model.waitFor(letter)).atMs - postedAtMs).toBeLessThan(18_000);
    await expect
      .poll(async () => (await mesh.findPeer("Birch"))?.declared)
      .toMatchObject({ status: "blocked", reason: expect.stringContaining("type /mcp") });
  },
);
