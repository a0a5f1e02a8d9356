import { describe, expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import { killProcess, listTree } from "../../claude/kit/processes.js";
import type { Terminal } from "../../claude/kit/terminal.js";
import { prepareAgent } from "../kit/client-agent.js";
import { type DrivenClient, getDrivenClient } from "../kit/driven-clients.js";
import { startScriptedModel } from "../kit/scripted-model.js";

const isThere = (name: DrivenClient["name"]) => inject("clientPrograms")[name] !== undefined;

async function start(name: DrivenClient["name"]) {
  const mesh = await startMesh(onTestFinished);
  const model = await startScriptedModel(onTestFinished);
  const where = { mesh, model, team: "Birch", name: "atlas" };
  const { launch } = await prepareAgent(getDrivenClient(name), where, onTestFinished);
  const terminal = await launch();
  return { mesh, model, terminal, findPeer: () => mesh.findPeer("Birch", "atlas") };
}

async function findServer({ pid }: Terminal): Promise<number | undefined> {
  return (await listTree(pid)).find(({ call }) => / mcp --as /.test(call))?.pid;
}

async function killServer(terminal: Terminal): Promise<void> {
  const pid = await findServer(terminal);
  if (pid === undefined) throw new Error("It has no server.");
  await killProcess(pid);
}

describe("[WAKE-15] a client whose server was killed", () => {
  it.runIf(isThere("codex"))("is given another, if it is Codex, and is woken again", async () => {
    const { mesh, model, terminal } = await start("codex");
    await model.waitFor((await mesh.write("Birch/atlas")).letter);
    await killServer(terminal);
    await expect.poll(() => findServer(terminal)).toBeDefined();
    await model.waitFor((await mesh.write("Birch/atlas")).letter);
  });

  it.runIf(isThere("gemini"))(
    "is declared blocked, if nothing can start another, and no way to wake it is promised",
    async () => {
      const { mesh, terminal, findPeer } = await start("gemini");
      await killServer(terminal);
      await expect.poll(async () => (await findPeer())?.declared?.status).toBe("blocked");
      expect((await findPeer())?.declared?.reason).toMatch(/not connected to its MCP server: quit it/);
      const { posted } = await mesh.write("Birch/atlas");
      expect(posted.recipients?.[0]?.wake).toEqual([]);
    },
  );
});
