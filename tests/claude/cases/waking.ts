import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type InteractiveAgent, startAgent, startPrinted } from "../kit/agent.js";
import { createLongTool } from "../kit/long-tool.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh, type WrittenLetter } from "../kit/mesh.js";
import { isWake } from "../kit/obey.js";
import { listLetters } from "../kit/shown.js";
import { closeInbox, withoutHooks } from "../kit/wake-paths.js";

it("[WAKE-8] [WAKE-9] [DELIVER-1] each letter to an idle agent, its group or everyone starts a turn, and is shown once, in order", async () => {
  const mesh = await startMesh(onTestFinished);
  const groups = ["--groups", "backend"];
  const atlas = await startAgent({ mesh, team: "Birch", name: "atlas", launchArgs: groups }, onTestFinished);
  const worker = await startPrinted({ mesh, team: "Cedar", name: "worker" }, onTestFinished);
  await worker.prompt("say ready");
  await worker.rests();
  const written: WrittenLetter[] = [];
  const tookMs: number[] = [];
  for (const to of ["Birch/atlas", "@backend", "atlas", "Birch", "Birch/atlas", "@backend", "atlas", null]) {
    const from = atlas.model.requests.length;
    const letter = await mesh.write(to);
    const turn = await atlas.model.waitFor(isWakeText, { from });
    written.push(letter);
    if (to !== null) tookMs.push(turn.atMs - letter.postedAtMs);
    await expect.poll(() => listLetters(atlas.model.conversation)).toContain(letter.letter);
    await atlas.rests();
  }
  tookMs.sort((one, other) => one - other);
  const median = tookMs[Math.floor(tookMs.length / 2)] ?? 0;
  console.info(`From post to a new turn: median ${median.toFixed(0)} ms of ${tookMs.length}.`);

  expect(listLetters(atlas.model.conversation)).toEqual(written.map(({ letter }) => letter));
  // Only the last message was addressed to the worker.
  await expect.poll(() => listLetters(worker.model.conversation)).toEqual([written.at(-1)?.letter]);
});

const isWakeText = /Another Claude session sent a message/;

it("[WAKE-9] with one other agent online, chat to everyone starts a turn of an idle agent within a second", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const tookMs: number[] = [];
  for (let count = 0; count < 15; count += 1) {
    const from = birch.model.requests.length;
    const { letter, postedAtMs } = await mesh.write(null);
    const turn = await birch.model.waitFor(isWakeText, { from });
    tookMs.push(turn.atMs - postedAtMs);
    await expect.poll(() => listLetters(birch.model.conversation)).toContain(letter);
    await birch.rests();
    // A client that has just ended its turn may still report it, and is then asked again half a second later.
    await delay(2_000);
  }
  tookMs.sort((one, other) => one - other);
  const [median = 0, slow = 0] = [0.5, 0.95].map((part) => tookMs[Math.ceil(tookMs.length * part) - 1]);
  console.info(
    `From chat to everyone to a new turn: p50 ${median.toFixed(0)} ms, p95 ${slow.toFixed(0)} ms of ${tookMs.length}.`,
  );
  expect(slow).toBeLessThan(1_000);
});

it("[DELIVER-1] [DELIVER-2] five agents, with and without a terminal, get what is for them, once and in order", async () => {
  const mesh = await startMesh(onTestFinished);
  const agents = [
    await startAgent({ mesh, team: "Birch", launchArgs: ["--groups", "odd"] }, onTestFinished),
    await startAgent({ mesh, team: "Cedar" }, onTestFinished),
    await startAgent({ mesh, team: "Dune", launchArgs: ["--groups", "odd"] }, onTestFinished),
    await startPrinted({ mesh, team: "Elm" }, onTestFinished),
    await startPrinted({ mesh, team: "Fir", launchArgs: ["--groups", "odd"] }, onTestFinished),
  ];
  for (const agent of agents.slice(3)) await agent.prompt("say ready");
  for (const agent of agents.slice(3)) await agent.rests();
  const isFor = (to: string | null, team: string) =>
    to === null || to === team || (to === "@odd" && ["Birch", "Dune", "Fir"].includes(team));
  const written: { to: string | null; letter: string }[] = [];
  for (const to of ["Birch", "@odd", null, "Elm", "Cedar", "@odd", "Fir", "Dune", null, "Birch"])
    written.push({ to, ...(await mesh.write(to)) });

  for (const { team, model } of agents) {
    const own = written.filter(({ to }) => isFor(to, team)).map(({ letter }) => letter);
    await expect.poll(() => listLetters(model.conversation), { message: team }).toEqual(own);
  }
  for (const agent of agents) await agent.rests();
  // Makes one agent send a message to another.
  const [birch, cedar] = agents;
  await birch?.prompt('call mcp__merkle__send_message {"to":"Cedar","message":"letter-99"} then say sent');
  await expect.poll(() => listLetters(cedar?.model.conversation ?? "")).toContain("letter-99");
  for (const agent of agents) await agent.rests();
  for (const { team, model } of agents) {
    const letters = listLetters(model.conversation);
    expect(new Set(letters).size, team).toBe(letters.length);
  }
});

it("[PEER-2] [DELIVER-1] two agents of one team on one machine have each their own mail, and their team's", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const atlas = await startAgent({ mesh, team: "Birch", name: "atlas", machine }, onTestFinished);
  const borea = await startAgent({ mesh, team: "Birch", name: "borea", machine }, onTestFinished);
  const one = await mesh.write("Birch/atlas");
  const both = await mesh.write("Birch");
  const other = await mesh.write("borea");
  const expectRead = (agent: InteractiveAgent, written: readonly WrittenLetter[]) =>
    expect.poll(() => listLetters(agent.model.conversation)).toEqual(written.map(({ letter }) => letter));
  await expectRead(atlas, [one, both]);
  await expectRead(borea, [both, other]);
  await borea.rests();
  await borea.prompt('call mcp__merkle__send_message {"to":"atlas","message":"letter-99"} then say sent');
  await expect.poll(() => listLetters(atlas.model.conversation)).toContain("letter-99");
});

it("[WAKE-3] [WAKE-9] a busy agent gets its mail after the tool that it runs, in the same turn", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const tool = createLongTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.untilRunning();
  const one = await mesh.write("Birch");
  const two = await mesh.write("Birch");
  expect(birch.model.requests).toHaveLength(1);
  await tool.end();
  await birch.model.waitFor(two.letter);
  await birch.rests();
  expect(birch.model.conversation).not.toMatch(isWakeText);
  expect(listLetters(birch.model.conversation)).toEqual([one.letter, two.letter]);
});

it("[WAKE-3] [WAKE-9] one that does not want to be disturbed is woken by priority now alone, and then gets everything", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await birch.prompt('call mcp__merkle__set_status {"status":"dnd"} then say hush');
  await birch.rests();
  const before = birch.model.requests.length;
  const low = await mesh.write("Birch", { priority: "low" });
  const next = await mesh.write("Birch");
  const now = await mesh.write("Birch", { priority: "now" });
  await birch.model.waitFor(isWakeText, { from: before });
  await expect.poll(() => listLetters(birch.model.conversation)).toContain(now.letter);
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([low, next, now].map(({ letter }) => letter));
  // Only one turn began: the earlier messages did not start a turn.
  const turns = birch.model.requests.slice(before).filter(({ news }) => isWake(news));
  expect(turns).toHaveLength(1);
});

it("[WAKE-1] [WAKE-8] without hooks, the inbox alone wakes an idle agent, which reads by a tool", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished, withoutHooks);
  const birch = await startAgent({ mesh, team: "Birch", machine }, onTestFinished);
  const one = await mesh.write("Birch");
  await birch.model.waitFor(one.letter);
  await birch.rests();
  const two = await mesh.write("Birch");
  await birch.model.waitFor(two.letter);
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([one.letter, two.letter]);
});

it("[WAKE-1] [DELIVER-4] without hooks and inbox, a wait gives the mail as it comes", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished, withoutHooks);
  const birch = await startAgent({ mesh, team: "Birch", machine }, onTestFinished);
  await closeInbox(birch);
  const wait = 'call mcp__merkle__wait_for_messages {"timeout":30}';
  await birch.prompt(`${wait} then ${wait} then say enough`);
  const written = [];
  for (let count = 0; count < 2; count += 1) {
    await expect.poll(async () => (await mesh.findPeer("Birch"))?.polling).toBe(true);
    const { letter } = await mesh.write("Birch");
    await birch.model.waitFor(letter);
    written.push(letter);
  }
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(written);
});

it("[WAKE-1] [WAKE-3] without an inbox, hooks give the mail in the running turn, at its end, and at the next prompt", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await closeInbox(birch);
  const tool = createLongTool(birch.machine);
  const waiting = await mesh.write("Birch");
  await birch.prompt(`${tool.step} then say finished`);
  const first = await birch.model.waitFor(waiting.letter);
  expect(first.news).toContain("UserPromptSubmit hook additional context");
  await tool.untilRunning();
  const during = await mesh.write("Birch");
  const pondering = birch.model.delayReply(during.letter);
  await tool.end();
  expect((await pondering.reached).news).toContain("PostToolBatch hook additional context");
  const late = await mesh.write("Birch");
  pondering.release();
  expect((await birch.model.waitFor(late.letter)).news).toContain("Stop hook additional context");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([waiting, during, late].map(({ letter }) => letter));
});

it("[WAKE-11] [NUDGE-1] a nudge wakes an agent that its mail alone would not", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const { letter } = await mesh.write("Birch", { priority: "low" });
  const { nudged } = await mesh.nudge("Birch");
  expect(nudged).toMatchObject([{ team: "Birch", connected: true, reached: ["inbox"] }]);
  const { news } = await birch.model.waitFor(isWakeText);
  expect(news).toContain("please check your messages");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([letter]);
});
