import { it, onTestFinished } from "vitest";
import { reconnect, startAgent } from "../kit/agent.js";
import { runCampaign, seed, sizes, type Victim, withinMs } from "../kit/campaign.js";
import { makeMachine } from "../kit/machine.js";
import { type Mesh, startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";

it(
  `[WAKE-4] [DELIVER-2] three agents whose processes are killed ${sizes.kills} times have each letter once in their conversation (seed ${seed})`,
  async () => {
    const mesh = await startMesh(onTestFinished);
    const victims: Victim[] = [];
    for (const team of ["Birch", "Cedar", "Dune"]) victims.push(await begin(mesh, team));
    await runCampaign(
      mesh,
      victims,
      (seconds) => `call Bash ${JSON.stringify({ command: `sleep ${seconds}`, description: "Work" })}`,
    );
  },
  withinMs,
);

async function begin(mesh: Mesh, team: string): Promise<Victim> {
  const machine = await makeMachine(onTestFinished);
  let agent = await startAgent({ mesh, team, machine }, onTestFinished);
  await agent.prompt("say hello");
  await agent.rests();
  return {
    team,
    get model() {
      return agent.model;
    },
    enter: (prompt) => agent.terminal.enter(prompt),
    rests: () => agent.rests(),
    killServer: async () => killProcess((await agent.processes()).server.pid),
    repairServer: () => reconnect(agent),
    async killClient() {
      await agent.killClient();
      await agent.terminal.ended;
    },
    async resume() {
      agent = await startAgent({ mesh, team, machine, claudeArgs: ["--continue"] }, onTestFinished);
    },
  };
}
