import { expect, it, onTestFinished } from "vitest";
import { startTcpProxy, type TcpProxy } from "../../tail/tcp-proxy.js";
import {
  type InteractiveAgent,
  type LaunchedAgent,
  reconnect,
  startAgent,
  startPrinted,
} from "../kit/agent.js";
import { createLongTool } from "../kit/long-tool.js";
import { makeMachine } from "../kit/machine.js";
import { type Mesh, startMesh } from "../kit/mesh.js";
import { killProcess, listTree } from "../kit/processes.js";
import { listLetters } from "../kit/shown.js";

interface Scene {
  readonly mesh: Mesh;
  readonly proxy: TcpProxy;
  readonly birch: InteractiveAgent;
}

/** A session that Birch has joined. No message has been read or written yet. */
interface Meeting {
  readonly mesh: Mesh;
  readonly birch: LaunchedAgent;
}

/** Causes the fault and returns a function that repairs it. */
type Fault = (scene: Scene) => Promise<() => Promise<void>>;

const faults: Record<string, Fault> = {
  "the MCP server is killed": async ({ birch }) => {
    await killProcess((await birch.processes()).server.pid);
    return () => reconnect(birch);
  },
  "the broker is killed": async ({ mesh }) => {
    await mesh.killBroker();
    return mesh.restartBroker;
  },
  "the network is cut": async ({ proxy }) => {
    proxy.mode = "cut";
    proxy.cutAll();
    return async () => {
      proxy.mode = "pass";
    };
  },
  "the network falls silent": async ({ proxy }) => {
    proxy.mode = "stall";
    return async () => {
      proxy.mode = "pass";
      // Data sent during the stall is lost. A real network would not deliver part of the data later either.
      proxy.cutAll();
    };
  },
};

/** Sends messages and causes the fault at a certain point during a delivery. Returns the names of the messages. */
type Moment = (meeting: Meeting, strike: () => Promise<() => Promise<void>>) => Promise<string[]>;

const moments: Record<string, Moment> = {
  "as soon as the letter is posted": async ({ mesh }, strike) => {
    const { letter } = await mesh.write("Birch");
    const repair = await strike();
    await repair();
    return [letter];
  },
  "while a tool runs, with the letter pushed": async ({ mesh, birch }, strike) => {
    const tool = createLongTool(birch.machine);
    await birch.prompt(`${tool.step} then say finished`);
    await tool.untilRunning();
    const { letter } = await mesh.write("Birch");
    const repair = await strike();
    await tool.end();
    await repair();
    return [letter];
  },
  "while the model reads what a hook has put in": async ({ mesh, birch }, strike) => {
    const tool = createLongTool(birch.machine);
    await birch.prompt(`${tool.step} then say finished`);
    await tool.untilRunning();
    const { letter } = await mesh.write("Birch");
    const pondering = birch.model.delayReply(letter);
    await tool.end();
    await pondering.reached;
    const repair = await strike();
    pondering.release();
    await repair();
    return [letter];
  },
  "while the model reads what a tool has returned": async ({ mesh, birch }, strike) => {
    await birch.prompt('call mcp__merkle__wait_for_messages {"timeout":30} then say enough');
    await expect.poll(async () => (await mesh.findPeer("Birch"))?.polling).toBe(true);
    const { letter } = await mesh.write("Birch");
    const pondering = birch.model.delayReply(letter);
    await pondering.reached;
    const repair = await strike();
    pondering.release();
    await repair();
    return [letter];
  },
};

for (const [what, fault] of Object.entries(faults)) {
  it.each(Object.entries(moments))(
    `[WAKE-4] [DELIVER-2] ${what} %s: nothing is lost, and nothing shown again once it is acknowledged`,
    async (_, moment) => {
      const mesh = await startMesh(onTestFinished);
      const proxy = await startTcpProxy(mesh.port);
      const birch = await startAgent({ mesh, team: "Birch", brokerUrl: proxy.url }, onTestFinished);
      const scene = { mesh, proxy, birch };
      const letters = await moment(scene, () => fault(scene));
      await birch.rests();
      await readAgain(birch);
      await expectRead(birch, letters);

      letters.push((await mesh.write("Birch")).letter);
      await readAgain(birch);
      await expectRead(birch, letters);
      expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
    },
  );
}

it.each(Object.entries(moments))(
  "[WAKE-4] [STDIO-7] without a terminal, the call after the MCP server was killed %s finds a new one, and everything",
  async (_, moment) => {
    const mesh = await startMesh(onTestFinished);
    const birch = await startPrinted({ mesh, team: "Birch" }, onTestFinished);
    await birch.prompt("say hello");
    await birch.rests();
    const letters = await moment({ mesh, birch }, async () => {
      await killProcess((await birch.processes()).server.pid);
      return async () => undefined;
    });
    await birch.rests();
    await readAgain(birch);
    await expectRead(birch, letters);
    expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
  },
);

const check = "call mcp__merkle__check_messages {}";

/** Reads twice. The first read proves that the model has received the earlier messages. */
async function readAgain({ prompt, rests }: LaunchedAgent): Promise<void> {
  await prompt(`${check} then ${check} then say done`);
  await rests();
}

/**
 * Expects every message to appear, with the first appearances in order. After two reads, no message may appear again.
 */
async function expectRead(birch: LaunchedAgent, letters: readonly string[]): Promise<void> {
  const shown = listLetters(birch.model.conversation);
  expect([...new Set(shown)]).toEqual(letters);
  const from = birch.model.requests.length;
  await readAgain(birch);
  expect(birch.model.requests.slice(from).flatMap(({ news }) => listLetters(news))).toEqual([]);
}

it("[WAKE-1] [WAKE-9] what is written while the network is away wakes the agent when it is back; meanwhile it works on", async () => {
  const mesh = await startMesh(onTestFinished);
  const proxy = await startTcpProxy(mesh.port);
  const birch = await startAgent({ mesh, team: "Birch", brokerUrl: proxy.url }, onTestFinished);
  proxy.mode = "cut";
  proxy.cutAll();
  const written = [await mesh.write("Birch"), await mesh.write("Birch")].map(({ letter }) => letter);
  await birch.prompt('call Bash {"command":"true","description":"Work"} then say worked');
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([]);
  proxy.mode = "pass";
  await birch.model.waitFor(written.at(-1) ?? "");
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual(written);
});

it("[WAKE-1] [WAKE-9] an agent whose machine slept, and whose connection died meanwhile, gets its mail when it wakes up", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  // Suspends every process except the first, because the terminal would resume the first process.
  const asleep = (await listTree(birch.terminal.pid)).slice(1);
  for (const { pid } of asleep) process.kill(pid, "SIGSTOP");
  await mesh.killBroker();
  await mesh.restartBroker();
  // After a node dies, its peers count as connected until the node's lease ends. The other nodes notice the end at
  // different times.
  const askAll = () => Promise.all(Array.from({ length: 6 }, () => mesh.findPeer("Birch")));
  await expect.poll(async () => (await askAll()).some((peer) => peer?.connected)).toBe(false);
  const { letter, posted } = await mesh.write("Birch");
  expect(posted.recipients).toMatchObject([{ connected: false, wake: [], delivered: false }]);
  for (const { pid } of asleep) process.kill(pid, "SIGCONT");
  await birch.model.waitFor(letter);
  await birch.rests();
  expect(listLetters(birch.model.conversation)).toEqual([letter]);
});

it("[WAKE-4] [STDIO-7] a Claude Code that is killed while its model reads finds the letter when it goes on, in the same place", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const first = await startAgent({ mesh, team: "Birch", machine }, onTestFinished);
  await first.prompt("say hello");
  await first.rests();
  const read = await mesh.write("Birch");
  const pondering = first.model.delayReply(read.letter);
  await pondering.reached;
  await killProcess((await first.processes()).claude.pid);
  await first.terminal.ended;
  pondering.release();
  const waiting = await mesh.write("Birch");

  const claudeArgs = ["--continue"];
  const again = await startAgent({ mesh, team: "Birch", machine, claudeArgs }, onTestFinished);
  await again.model.waitFor(waiting.letter);
  await again.rests();
  await readAgain(again);
  await expectRead(again, [read.letter, waiting.letter]);
  expect((await mesh.listPeers()).filter(({ team }) => team === "Birch")).toHaveLength(1);
});
