import { expect, it, onTestFinished } from "vitest";
import { brokerTransports } from "../../kit/transports.js";
import { type LaunchedAgent, startPrinted } from "../kit/agent.js";
import { startMesh } from "../kit/mesh.js";

it("[BRIEF-4] [TASK-3] [USAGE-2] two agents begin with the brief, pick up tasks one at a time, and report what their models used", async () => {
  const mesh = await startMesh(onTestFinished);
  const session_id = mesh.slug;
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const { team_id } = await transport.call("join_session", { session_id, team_name: "Cedar" });
  const cedar = { session_id, team_id };
  await transport.call("post_message", { ...cedar, content: { text: "Keep v1 tokens", kind: "decision" } });
  for (const title of ["one", "two", "three", "four"])
    await transport.call("create_task", { ...cedar, title });

  const [birch, oak] = await Promise.all([
    startPrinted({ mesh, team: "Birch", name: "birch" }, onTestFinished),
    startPrinted({ mesh, team: "Oak", name: "oak" }, onTestFinished),
  ]);
  const work = async (agent: LaunchedAgent, task: number) => {
    await agent.prompt(`call mcp__merkle__claim_task {} then say took ${task}`);
    await agent.rests();
    await agent.prompt(
      `call mcp__merkle__finish_task {"task": ${task}, "result": "done"} then say did ${task}`,
    );
    await agent.rests();
  };
  await work(birch, 1);
  await work(oak, 2);
  await work(birch, 3);
  await work(oak, 4);
  const { tasks } = await transport.call("list_tasks", { session_id, state: "done" });
  const holders = new Map(tasks.map(({ task, holder }) => [task, holder]));
  expect([1, 2, 3, 4].map((task) => holders.get(task))).toEqual([
    "Birch/birch",
    "Oak/oak",
    "Birch/birch",
    "Oak/oak",
  ]);

  for (const agent of [birch, oak]) {
    expect(agent.model.conversation).toContain(`Merkle brief of ${mesh.slug}`);
    expect(agent.model.conversation).toContain("decision by Cedar");
  }
  // Each reply from the scripted model reports 100 input tokens and 10 output tokens.
  const usage = async () => (await transport.call("get_usage", { session_id, by: "team" })).rows;
  await expect.poll(async () => (await usage()).length, { timeout: 30_000 }).toBe(2);
  for (const { input_tokens, output_tokens } of await usage()) {
    expect(output_tokens).toBeGreaterThanOrEqual(40);
    expect(input_tokens).toBe(10 * output_tokens);
  }
});
