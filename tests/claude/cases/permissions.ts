import { expect, it, onTestFinished } from "vitest";
import { brokerTransports } from "../../kit/transports.js";
import { startAgent } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";

it("[WAKE-18] an agent that waits at a permission prompt is shown as blocked with what it asks, and is free by any answer", async () => {
  const mesh = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const birch = await startAgent(
    { mesh, team: "Birch", claudeArgs: ["--permission-mode=manual"] },
    onTestFinished,
  );
  const declared = async () => (await mesh.findPeer("Birch"))?.declared;
  const ask = async (name: string) => {
    await birch.prompt(
      `call Write {"file_path":"${birch.machine.project}/${name}","content":"hello"} then say tried ${name}`,
    );
    await birch.terminal.untilShown(`Do you want to create ${name}`);
    const reason = `waiting for permission at its terminal: Write "${birch.machine.project}/${name}"`;
    await expect.poll(declared).toMatchObject({ status: "blocked", reason });
    return reason;
  };

  const reason = await ask("allowed.txt");
  const { posted } = await mesh.write("Birch", { priority: "low" });
  expect(await mesh.run(["inbox"])).toContain(reason);
  expect(posted.recipients).toMatchObject([{ declared: "blocked" }]);
  await birch.terminal.press("Enter");
  await birch.model.waitFor("allowed.txt");
  await birch.rests();
  await expect.poll(declared).toMatchObject({ status: "idle" });

  await ask("refused.txt");
  await birch.terminal.press("Escape");
  await expect.poll(declared).toMatchObject({ status: "idle" });
});

it("[WAKE-18] Merkle's own tools ask for no permission in plan mode either", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent(
    { mesh, team: "Birch", claudeArgs: ["--permission-mode=plan"] },
    onTestFinished,
  );
  await birch.prompt('call mcp__merkle__post_message {"content":{"text":"planned"}} then say posted');
  await birch.rests();
  const { messages } = await mesh.readHistory();
  expect(messages.map(({ content }) => content["text"])).toContain("planned");
});

it("[WAKE-18] an agent whose client is killed at a permission prompt is free when its conversation goes on", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const manual = "--permission-mode=manual";
  const first = await startAgent({ mesh, team: "Birch", machine, claudeArgs: [manual] }, onTestFinished);
  const declared = async () => (await mesh.findPeer("Birch"))?.declared;
  await first.prompt(`call Write {"file_path":"${machine.project}/x","content":"hello"} then say tried`);
  await expect.poll(declared).toMatchObject({ status: "blocked" });
  await killProcess((await first.processes()).claude.pid);
  await first.terminal.ended;
  const claudeArgs = [manual, "--continue"];
  await startAgent({ mesh, team: "Birch", machine, claudeArgs }, onTestFinished);
  await expect.poll(declared).toMatchObject({ status: "idle" });
});
