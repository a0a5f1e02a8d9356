import { describe, expect, inject, it, onTestFinished } from "vitest";
import { runCampaign, seed, sizes, type Victim, withinMs } from "../../claude/kit/campaign.js";
import { type Mesh, startMesh } from "../../claude/kit/mesh.js";
import { killProcess, listTree } from "../../claude/kit/processes.js";
import { startScriptedModel } from "../../claude/kit/scripted-model.js";
import { acpAgents, prepareAcpAgent } from "../kit/acp-agent.js";
import { chatApi } from "../kit/chat-api.js";
import { prepareAgent, say } from "../kit/client-agent.js";
import { getDrivenClient } from "../kit/driven-clients.js";
import { geminiApi } from "../kit/gemini-api.js";
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

for (const agent of acpAgents) {
  describe.runIf(inject("clientPrograms")[agent.name] !== undefined)(`${agent.name} as an ACP agent`, () => {
    it(
      `[WAKE-4] [WAKE-23] two agents whose processes are killed ${sizes.kills} times have each letter once in their conversations (seed ${seed})`,
      async () => {
        const mesh = await startMesh(onTestFinished);
        const victims = [
          await beginAcp(mesh, agent, { team: "Birch", name: "atlas" }),
          await beginAcp(mesh, agent, { team: "Cedar", name: "borea" }),
        ];
        // A relaunched agent has a new conversation, which gets all messages of the turn that was cut off again.
        const repeatedShare = 0.5;
        await runCampaign(mesh, victims, () => `call ${toolNames[agent.name]}list_peers {}`, repeatedShare);
      },
      withinMs,
    );
  });
}

/** How the agents prefix the names of Merkle's tools. */
const toolNames = { gemini: "mcp_merkle_", opencode: "merkle_" };

async function beginAcp(
  mesh: Mesh,
  agent: (typeof acpAgents)[number],
  where: { readonly team: string; readonly name: string },
): Promise<Victim> {
  const dialect = { gemini: geminiApi, opencode: chatApi }[agent.name];
  const model = await startScriptedModel(onTestFinished, { dialect });
  const launch = await prepareAcpAgent(agent, { mesh, model, ...where }, onTestFinished);
  let launched = await launch();
  /** How many requests the model had received when each launch began. Each launch begins a new conversation. */
  const launches = [0];
  const listProcesses = async (call = /./) =>
    (await listTree(launched.process.pid ?? 0)).filter((each) => call.test(each.call));
  const kill = async (processes: readonly { readonly pid: number }[]) => {
    for (const { pid } of processes) await killProcess(pid);
  };
  const resume = async () => {
    launches.push(model.requests.length);
    launched = await launch();
  };

  return {
    team: where.team,
    needsServer: true,
    model: {
      get conversation() {
        return launches
          .map((from, index) => model.requests.slice(from, launches[index + 1]).at(-1)?.conversation ?? "")
          .join("\n");
      },
      get isResting() {
        return model.isResting;
      },
    },
    enter: async (prompt) => launched.enter(prompt.replaceAll("mcp__merkle__", toolNames[agent.name])),
    rests: model.rests,
    killServer: async () => kill(await listProcesses(/ mcp --as /)),
    async repairServer() {
      await kill(await listProcesses());
      await resume();
    },
    async killClient(chance) {
      const all = await listProcesses();
      await kill(chance.below(2) === 0 ? all : all.reverse());
    },
    resume,
  };
}

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
