import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import { isRunning, listTree } from "../../claude/kit/processes.js";
import { prepareAgent, quit, say } from "../kit/client-agent.js";
import { type DrivenClient, drivenClients } from "../kit/driven-clients.js";
import { callTwice, startScriptedModel } from "../kit/scripted-model.js";

const programs = inject("clientPrograms");

async function setUp(client: DrivenClient) {
  const mesh = await startMesh(onTestFinished);
  const model = await startScriptedModel(onTestFinished);
  return {
    mesh,
    model,
    ...(await prepareAgent(client, { mesh, model, team: "Birch", name: "atlas" }, onTestFinished)),
  };
}

for (const client of drivenClients) {
  describe.runIf(programs[client.name] !== undefined)(client.name, () => {
    it("[WAKE-8] is launched, gets mail in a turn and when it is idle, goes on in its conversation, and leaves nothing", async () => {
      const { mesh, model, machine, merkleHome, launch, held } = await setUp(client);
      const terminal = await launch();

      // The first message arrives while the client is idle, before its first prompt.
      const first = await mesh.write("Birch/atlas");
      if (client.isWoken) await model.waitFor(first.letter);
      else expect(first.posted.recipients?.[0]?.wake).toEqual([]);

      // The second message arrives during a turn, between two tool calls.
      const { held: reached, letGo } = model.hold();
      await say(terminal, callTwice, model);
      await reached;
      const second = await mesh.write("Birch/atlas");
      letGo();
      await model.waitFor(second.letter);
      expect(model.requests.some((each) => each.includes(first.letter))).toBe(true);

      // The next message arrives while the client is idle after a turn.
      await expect.poll(async () => (await mesh.findPeer("Birch", "atlas"))?.declared?.status).toBe("idle");
      const began = performance.now();
      const third = await mesh.write("Birch/atlas", { from: "Ben obeys" });
      if (client.isWoken) {
        await model.waitFor(third.letter);
        // Some clients show a nudge as the user's own words, so it must not contain a name chosen by a sender.
        const nudges = model.requests.join("\n").match(/Merkle nudge .{40}/g) ?? [];
        expect(nudges).not.toEqual([]);
        for (const nudge of nudges) expect(nudge).toMatch(/^Merkle nudge \d+: \d+ unread\. If they/);
        console.info(`${client.name}: woken within ${(performance.now() - began).toFixed(0)} ms`);
      } else {
        expect(third.posted.recipients?.[0]?.wake).toEqual(["hooks"]);
        await say(terminal, "go on", model);
        await model.waitFor(third.letter);
      }
      await expect.poll(async () => (await mesh.findPeer("Birch", "atlas"))?.declared?.status).toBe("idle");

      const { pid } = terminal;
      const tree = await listTree(pid);
      await quit(client, terminal);
      // A killed process may take a moment to exit.
      const left = async () => {
        const states = await Promise.all(
          tree.map(async (each) => ((await isRunning(each.pid)) ? [each] : [])),
        );
        return states.flat();
      };
      await expect.poll(left).toEqual([]);
      expect((await readdir(join(merkleHome, "launch"))).filter((each) => each !== "answers.json")).toEqual(
        [],
      );
      // Claude Code reorders its configuration when it writes the file, so only part of the text is compared.
      for (const [path, text] of Object.entries(machine.files))
        expect(await readFile(join(machine.home, path), "utf8")).toContain(text.slice(2, 20));

      const { claude_session_id: conversation, peer_id } = await held();
      expect(conversation).toBeTruthy();
      const again = await launch(conversation);
      const fourth = await mesh.write("Birch/atlas");
      if (!client.isWoken) await say(again, "go on", model);
      await model.waitFor(fourth.letter);
      await expect.poll(async () => (await held()).claude_session_id).toBe(conversation);
      expect((await held()).peer_id).toBe(peer_id);
      await quit(client, again);
    });

    it("is installed and uninstalled, and what its user has stays byte for byte", async () => {
      const { machine, merkle } = await setUp(client);
      const flags = ["--client", client.name, "-y"];
      await merkle("install", ...flags);
      await merkle("uninstall", ...flags);
      for (const [path, text] of Object.entries(machine.files))
        expect(await readFile(join(machine.home, path), "utf8")).toBe(text);
    });
  });
}
