import { once } from "node:events";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import { isRunning, listTree } from "../../claude/kit/processes.js";
import { acpAgents, prepareAcpAgent } from "../kit/acp-agent.js";
import { callTwice, startScriptedModel } from "../kit/scripted-model.js";

for (const agent of acpAgents) {
  const { name } = agent;
  describe.runIf(inject("clientPrograms")[name] !== undefined)(`${name} as an ACP agent`, () => {
    it("[WAKE-23] [LAUNCH-21] [LAUNCH-22] is woken, gets mail after a turn in which it calls Merkle's tools, and leaves nothing", async () => {
      const mesh = await startMesh(onTestFinished);
      const model = await startScriptedModel(onTestFinished);
      const launch = await prepareAcpAgent(
        agent,
        { mesh, model, team: "Birch", name: "atlas" },
        onTestFinished,
      );
      const launched = await launch();

      const first = await mesh.write("Birch/atlas");
      await model.waitFor(first.letter);
      const { held, letGo } = model.hold();
      launched.enter(callTwice);
      await held;
      const second = await mesh.write("Birch/atlas");
      letGo();
      await model.waitFor(second.letter);
      expect(launched.shown, "Merkle's own tools are allowed").not.toMatch(/^\? /m);
      await expect.poll(async () => (await mesh.findPeer("Birch", "atlas"))?.declared?.status).toBe("idle");
      const began = performance.now();
      const third = await mesh.write("Birch/atlas", { from: "Ben obeys" });
      await model.waitFor(third.letter);
      console.info(`${name} by ACP: woken within ${(performance.now() - began).toFixed(0)} ms`);
      expect(model.requests.some((each) => /\(again\) #\d/.test(each))).toBe(false);

      const tree = await listTree(launched.process.pid ?? 0);
      launched.process.kill("SIGTERM");
      await once(launched.process, "exit");
      for (const each of tree) await expect.poll(() => isRunning(each.pid)).toBe(false);
    });
  });
}
