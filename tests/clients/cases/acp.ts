import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import { endTree, isRunning, listTree } from "../../claude/kit/processes.js";
import { getDrivenClient, makeHome } from "../kit/driven-clients.js";
import { callTwice, startScriptedModel } from "../kit/scripted-model.js";

/** The clients that are also ACP agents, with their commands and how they trust the test's folder. */
const agents = [
  { name: "gemini", command: ["gemini", "--acp"], env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } },
  { name: "opencode", command: ["opencode", "acp"], env: {} },
] as const;

for (const { name, command, env: more } of agents) {
  describe.runIf(inject("clientPrograms")[name] !== undefined)(`${name} as an ACP agent`, () => {
    it("[WAKE-23] [LAUNCH-21] [LAUNCH-22] is woken, gets mail after a turn in which it calls Merkle's tools, and leaves nothing", async () => {
      const mesh = await startMesh(onTestFinished);
      const model = await startScriptedModel(onTestFinished);
      const client = getDrivenClient(name);
      const machine = await makeHome(client, model.url, onTestFinished);
      const env = {
        ...{ PATH: `${join(inject("clientPrograms")[name] ?? "", "..")}:${process.env["PATH"]}` },
        ...{ LANG: "C.UTF-8", HOME: machine.home, TMPDIR: join(machine.home, "tmp"), SHELL: "/bin/bash" },
        ...{ MERKLE_HOME: join(machine.home, ".merkle"), MERKLE_URL: mesh.url },
        ...{ ...client.env(machine), ...more },
      };
      const where = ["--session", mesh.slug, "--team", "Birch", "--name", "atlas"];
      const args = ["launch", "--client", "acp", ...where, "-y", "--", ...command];
      const launch = spawn(process.execPath, [inject("program"), ...args], { cwd: machine.project, env });
      onTestFinished(() => endTree(launch.pid ?? 0));
      let shown = "";
      for (const stream of [launch.stdout, launch.stderr])
        stream.on("data", (chunk: Buffer) => {
          shown += chunk.toString();
        });
      await expect.poll(() => shown).toContain("Type a line to prompt it.");

      const first = await mesh.write("Birch/atlas");
      await model.waitFor(first.letter);
      const { held, letGo } = model.hold();
      launch.stdin.write(`${callTwice}\n`);
      await held;
      const second = await mesh.write("Birch/atlas");
      letGo();
      await model.waitFor(second.letter);
      expect(shown, "Merkle's own tools are allowed").not.toMatch(/^\? /m);
      await expect.poll(async () => (await mesh.findPeer("Birch", "atlas"))?.declared?.status).toBe("idle");
      const began = performance.now();
      const third = await mesh.write("Birch/atlas", { from: "Ben obeys" });
      await model.waitFor(third.letter);
      console.info(`${name} by ACP: woken within ${(performance.now() - began).toFixed(0)} ms`);
      expect(model.requests.some((each) => /\(again\) #\d/.test(each))).toBe(false);

      const tree = await listTree(launch.pid ?? 0);
      launch.kill("SIGTERM");
      await once(launch, "exit");
      for (const each of tree) await expect.poll(() => isRunning(each.pid)).toBe(false);
    });
  });
}
