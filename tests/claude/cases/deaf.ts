import { expect, it, onTestFinished } from "vitest";
import { listStoredPeers } from "../../../apps/cli/src/home/stored-peers.js";
import { reconnect, startAgent, startInstalled } from "../kit/agent.js";
import { clear } from "../kit/conversation.js";
import { killInTurn } from "../kit/long-tool.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";
import { listLetters } from "../kit/shown.js";
import { withoutHooks } from "../kit/wake-paths.js";

it("[WAKE-15] an agent whose server was killed during a turn, and which nobody repairs, is blocked in the roster and gets its mail in order", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await killInTurn(birch);
  const letters = [(await mesh.write("Birch")).letter, (await mesh.write("Birch")).letter];
  const shown = () => listLetters(birch.model.conversation);
  await expect.poll(shown).toEqual(letters);
  const declared = async () => (await mesh.findPeer("Birch"))?.declared;
  await expect
    .poll(declared)
    .toMatchObject({ status: "blocked", reason: expect.stringContaining("type /mcp") });
  await birch.rests();
  letters.push((await mesh.write("Birch")).letter);
  await expect.poll(shown).toEqual(letters);
});

it("[WAKE-15] beside another agent in its folder, after /clear and when its conversation is resumed, an agent whose server was killed during a turn gets its mail", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch", machine }, onTestFinished);
  const cedar = await startAgent({ mesh, team: "Cedar", machine }, onTestFinished);
  const declared = async (team: string) => (await mesh.findPeer(team))?.declared;
  await killInTurn(birch);
  const first = await mesh.write(null);
  for (const { model } of [birch, cedar])
    await expect.poll(() => listLetters(model.conversation)).toEqual([first.letter]);
  await expect.poll(() => declared("Birch")).toMatchObject({ status: "blocked" });
  await cedar.rests();
  expect(await declared("Cedar")).toMatchObject({ status: "idle" });

  await birch.rests();
  await clear(birch, "finished");
  const cleared = await mesh.write("Birch");
  await birch.model.waitFor(cleared.letter);
  await birch.rests();
  // The first message may be repeated, since no model replied to it in this conversation.
  expect(listLetters(birch.model.conversation).at(-1)).toBe(cleared.letter);
  await birch.exit();

  const between = await mesh.write("Birch");
  const stored = await listStoredPeers(machine.merkleHome, null);
  const { claude_session_id: id } = stored.find((each) => each.team_name === "Birch" && each.peer_name) ?? {};
  const claudeArgs = [`--resume=${id}`];
  const again = await startAgent({ mesh, team: "Birch", machine, claudeArgs }, onTestFinished);
  await again.model.waitFor(between.letter);
  await again.rests();
  expect(listLetters(again.model.conversation).slice(-2)).toEqual([cleared.letter, between.letter]);
  await expect.poll(() => declared("Birch")).toMatchObject({ status: "idle" });
}, 300_000);

it.each([
  ["that was not launched", startInstalled, {}],
  ["that was launched and runs no hooks", startAgent, withoutHooks],
] as const)(
  "[WAKE-19] an agent %s, whose server was killed during a turn, is blocked and nudged no more, and gets its mail when it is reconnected",
  async (_, start, settings) => {
    const mesh = await startMesh(onTestFinished);
    const machine = await makeMachine(onTestFinished, settings);
    const birch = await start({ mesh, team: "Birch", machine }, onTestFinished);
    await killInTurn(birch);
    const letters = [(await mesh.write("Birch")).letter];
    const peer = () => mesh.findPeer("Birch");
    const reason = expect.stringContaining("type /mcp");
    await expect
      .poll(peer)
      .toMatchObject({ declared: { status: "blocked", reason }, capabilities: { wake: [] } });
    await birch.rests();
    const asked = birch.model.requests.length;
    letters.push((await mesh.write("Birch")).letter);
    expect(await mesh.nudge("Birch")).toMatchObject({ nudged: [{ reached: [] }] });
    expect(birch.model.requests).toHaveLength(asked);

    await reconnect(birch);
    await expect.poll(() => listLetters(birch.model.conversation)).toEqual(letters);
    await birch.rests();
    await expect.poll(async () => (await peer())?.declared).toMatchObject({ status: "idle" });
  },
  300_000,
);
