import { describe, expect, inject, it, onTestFinished } from "vitest";
import { runCampaign, seed, sizes, type Victim, withinMs } from "../../claude/kit/campaign.js";
import { type Mesh, startMesh } from "../../claude/kit/mesh.js";
import { killProcess, listTree } from "../../claude/kit/processes.js";
import { startScriptedModel } from "../../claude/kit/scripted-model.js";
import { prepareAgent, say } from "../kit/client-agent.js";
import { getDrivenClient } from "../kit/driven-clients.js";
import { responsesApi } from "../kit/responses-api.js";

describe.runIf(inject("clientPrograms")["codex"] !== undefined)("codex", () => {
  it(
    `[WAKE-4] [WAKE-15] two agents whose processes are killed ${sizes.kills} times have each letter once in their conversation (seed ${seed})`,
    async () => {
      const mesh = await startMesh(onTestFinished);
      const victims = [await begin(mesh, "Birch", "atlas"), await begin(mesh, "Cedar", "borea")];
      const nap = (seconds: number) => `call exec_command ${JSON.stringify({ cmd: `sleep ${seconds}` })}`;
      await runCampaign(mesh, victims, nap);
    },
    withinMs,
  );
});

async function begin(mesh: Mesh, team: string, name: string): Promise<Victim> {
  const model = await startScriptedModel(onTestFinished, { dialect: responsesApi });
  const codex = getDrivenClient("codex");
  const agent = await prepareAgent(codex, { mesh, model, team, name }, onTestFinished);
  let terminal = await agent.launch();
  const prompt = (text: string) => say(terminal, text, model);
  const findProcess = async (call: RegExp) =>
    (await listTree(terminal.pid)).find((each) => call.test(each.call));
  const kill = async (call: RegExp) => {
    const found = await findProcess(call);
    if (found) await killProcess(found.pid);
  };
  const rests = async () => {
    await model.rests();
    await expect.poll(terminal.readScreen).not.toContain("esc to interrupt");
  };
  await prompt("say hello");
  await rests();

  return {
    ...{ team, model, rests },
    enter: prompt,
    killServer: () => kill(/ mcp --as /),
    // Codex restarts a dead server automatically, so the test only waits for the new server.
    repairServer: () => expect.poll(() => findProcess(/ mcp --as /)).toBeDefined(),
    async killClient(chance) {
      const both = [/bin\/codex app-server /, /bin\/codex -c mcp_servers/];
      const inTurn = chance.below(2) === 0 ? both : both.reverse();
      for (const call of inTurn) await kill(new RegExp(`^/\\S+vendor\\S+${call.source}`));
      await terminal.ended;
    },
    async resume() {
      terminal = await agent.launch((await agent.held()).claude_session_id);
    },
  };
}
