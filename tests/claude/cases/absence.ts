import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";
import { listLetters } from "../kit/shown.js";

it("[DELIVER-9] [PEER-3] [PEER-12] what is sent to an agent that is away is said to wait, and is there, in order, when it is started again", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const first = await startAgent({ mesh, team: "Birch", name: "atlas", machine }, onTestFinished);
  const read = await mesh.write("Birch/atlas");
  await first.model.waitFor(read.letter);
  await first.rests();
  await first.exit();
  await expect.poll(async () => (await mesh.findPeer("Birch", "atlas"))?.connected).toBe(false);

  const written = [];
  for (let count = 0; count < 12; count += 1) written.push(await mesh.write("Birch/atlas"));
  const [recipient] = written[0]?.posted.recipients ?? [];
  expect(recipient).toMatchObject({
    peer: "atlas",
    connected: false,
    status: "disconnected",
    delivered: false,
  });
  expect(recipient?.wake).toEqual([]);
  const last = written.at(-1)?.posted.cursor ?? 0;
  expect(await mesh.readStatus(last)).toMatchObject({ delivered: 0 });

  const again = await startAgent({ mesh, team: "Birch", name: "atlas", machine }, onTestFinished);
  await again.model.waitFor(written.at(-1)?.letter ?? "");
  await again.rests();
  expect(listLetters(again.model.conversation)).toEqual(written.map(({ letter }) => letter));
  // The second prompt proves that the model has received the messages.
  await again.prompt("call mcp__merkle__list_peers {} then say there");
  await again.rests();
  await expect.poll(async () => (await mesh.readStatus(last)).delivered).toBe(1);
  expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});
