import { expect, it, onTestFinished } from "vitest";
import { type InteractiveAgent, startAgent } from "../kit/agent.js";
import { clear, rewind } from "../kit/conversation.js";
import { createLongTool } from "../kit/long-tool.js";
import { makeMachine } from "../kit/machine.js";
import { type Mesh, startMesh } from "../kit/mesh.js";
import { listLetters } from "../kit/shown.js";
import { closeInbox } from "../kit/wake-paths.js";

/** Presses Esc at a certain point during a message's delivery. Returns the name of the message. */
type Interruption = (mesh: Mesh, birch: InteractiveAgent) => Promise<string>;

const interruptions: Record<string, Interruption> = {
  "while the model begins the turn that a letter has started": async (mesh, birch) => {
    const pondering = birch.model.delayReply(/Another Claude session/);
    const { letter } = await mesh.write("Birch");
    await pondering.reached;
    await interruptNow(birch);
    pondering.release();
    return letter;
  },
  "before a prompt is answered that a hook put a letter to": async (mesh, birch) => {
    await closeInbox(birch);
    const { letter } = await mesh.write("Birch");
    const pondering = birch.model.delayReply(letter);
    await birch.prompt("say hello");
    await pondering.reached;
    await interruptNow(birch);
    // After Esc, the client puts the prompt back into the input field for editing.
    await birch.terminal.press("C-u");
    pondering.release();
    return letter;
  },
  "in a wait that is parked": async (mesh, birch) => {
    await birch.prompt('call mcp__merkle__wait_for_messages {"timeout":30} then say enough');
    await expect.poll(async () => (await mesh.findPeer("Birch"))?.polling).toBe(true);
    await interruptNow(birch);
    return (await mesh.write("Birch")).letter;
  },
  "while another tool runs and the letter is there": async (mesh, birch) => {
    const tool = createLongTool(birch.machine);
    await birch.prompt(`${tool.step} then say finished`);
    await tool.untilRunning();
    const { letter } = await mesh.write("Birch");
    await interruptNow(birch);
    return letter;
  },
  "while the model reads what a hook has put after a tool": async (mesh, birch) => {
    const tool = createLongTool(birch.machine);
    await birch.prompt(`${tool.step} then say finished`);
    await tool.untilRunning();
    const { letter } = await mesh.write("Birch");
    const pondering = birch.model.delayReply(letter);
    await tool.end();
    await pondering.reached;
    await interruptNow(birch);
    pondering.release();
    return letter;
  },
  "while the model reads what came at the end of its turn": async (mesh, birch) => {
    await closeInbox(birch);
    const first = birch.model.delayReply("say hello");
    await birch.prompt("say hello");
    await first.reached;
    const { letter } = await mesh.write("Birch");
    const pondering = birch.model.delayReply(letter);
    first.release();
    await pondering.reached;
    await interruptNow(birch);
    pondering.release();
    return letter;
  },
};

async function interruptNow({ terminal }: InteractiveAgent): Promise<void> {
  await terminal.press("Escape");
  await expect.poll(terminal.readScreen).not.toContain("esc to interrupt");
}

it.each(Object.entries(interruptions))("[WAKE-4] Esc %s loses nothing", async (_, interrupt) => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const letters = [await interrupt(mesh, birch)];
  await birch.prompt("say go on");
  await expect.poll(() => listLetters(birch.model.conversation)).toEqual(expect.arrayContaining(letters));
  await birch.rests();
  // Two prompts, because the second proves that the model has seen the first.
  for (const word of ["one", "two"]) {
    await birch.prompt(`call mcp__merkle__list_peers {} then say ${word}`);
    await birch.rests();
  }
  const from = birch.model.requests.length;
  letters.push((await mesh.write("Birch")).letter);
  await birch.prompt("call mcp__merkle__check_messages {} then say read");
  await birch.rests();
  const after = birch.model.requests.slice(from).flatMap(({ news }) => listLetters(news));
  expect([...new Set(after)]).toEqual(letters.slice(1));
});

it("[WAKE-7] a subagent, however it reads, takes nothing from the agent that started it", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const tool = createLongTool(birch.machine);
  const orders = `${tool.step} then call mcp__merkle__check_messages {} then ${'call mcp__merkle__wait_for_messages {"timeout":1}'} then say read`;
  const input = { description: "Read", subagent_type: "general-purpose", prompt: orders };
  await closeInbox(birch);
  await birch.prompt(`call Agent ${JSON.stringify(input)} then say started`);
  await birch.model.waitFor("Async agent launched");
  await birch.rests();
  await expect.poll(() => birch.model.bySubagents.length).toBe(1);
  const { letter } = await mesh.write("Birch");
  await tool.end();
  await expect.poll(() => birch.model.bySubagents.some(({ news }) => news.includes(letter))).toBe(true);
  await birch.model.waitFor("task-notification");
  await birch.rests();
  await birch.prompt("say hello");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toContain(letter);
});

it("[WAKE-4] [WAKE-12] after /clear the mail goes on, and what the model had got is not repeated to it", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const before = await mesh.write("Birch");
  await birch.model.waitFor(before.letter);
  await birch.rests();
  await birch.prompt("call mcp__merkle__list_peers {} then say seen");
  await birch.rests();
  await clear(birch, "seen");
  const after = await mesh.write("Birch");
  await birch.model.waitFor(after.letter);
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([after.letter]);
  expect(birch.model.conversation).toContain("SessionStart hook additional context");
  expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});

it("[WAKE-4] after /rewind the mail goes on, and the feed still has what went with the conversation", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  await birch.prompt("say hello");
  await birch.rests();
  const before = await mesh.write("Birch");
  await birch.model.waitFor(before.letter);
  await birch.rests();
  await rewind(birch);
  const after = await mesh.write("Birch");
  await birch.model.waitFor(after.letter);
  await birch.rests();
  await birch.prompt("call mcp__merkle__get_history {} then say remembered");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(
    expect.arrayContaining([before.letter, after.letter]),
  );
  expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});

it.each([
  ["--continue", ["--continue"]],
  ["--fork-session", ["--continue", "--fork-session"]],
])(
  "[STDIO-7] [PEER-3] with %s an agent is back in its place: one row, nothing lost, nothing repeated",
  async (_, claudeArgs) => {
    const mesh = await startMesh(onTestFinished);
    const machine = await makeMachine(onTestFinished);
    const first = await startAgent({ mesh, team: "Birch", machine }, onTestFinished);
    await first.prompt("say hello");
    await first.rests();
    const before = await mesh.write("Birch");
    await first.model.waitFor(before.letter);
    await first.rests();
    await first.prompt("call mcp__merkle__list_peers {} then say seen");
    await first.rests();
    await first.exit();
    const between = await mesh.write("Birch");
    const again = await startAgent({ mesh, team: "Birch", machine, claudeArgs }, onTestFinished);
    await again.model.waitFor(between.letter);
    await again.rests();
    // The resumed conversation already contains the first message.
    expect(listLetters(again.model.conversation)).toEqual([before.letter, between.letter]);
    expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
  },
);
