import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { brokerTransports } from "../../kit/transports.js";
import { startAgent, startPrinted } from "../kit/agent.js";
import { createLongTool } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";

it("[MCP-19] [STDIO-21] in two sessions a call must name one, check_messages reads both, and who holds something concludes at the second try", async () => {
  const mesh = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const aside = await transport.call("create_session", { title: "Aside", creator_team_name: "Cedar" });
  const birch = await startPrinted({ mesh, team: "Birch", name: "oak" }, onTestFinished);
  const call = async (tool: string, args: object = {}) => {
    await birch.prompt(`call mcp__merkle__${tool} ${JSON.stringify(args)} then say did ${tool}`);
    await birch.rests();
    return birch.model.conversation;
  };
  await call("claim", { scope: "deploy" });
  expect(await call("conclude_session", { summary_section: "Done." })).toContain(
    'The session was not concluded: you still hold the claim "deploy".',
  );
  await call("join_session", { session_id: aside.slug, team_name: "Birch" });
  expect(await call("post_message", { content: { text: "to whom?" } })).toContain(
    "You have joined several sessions: ",
  );
  const read = await call("check_messages");
  for (const slug of [mesh.slug, aside.slug]) expect(read).toContain(`session ${slug}:`);
  await call("conclude_session", { session_id: mesh.slug, summary_section: "Done." });
  expect(await transport.call("get_session", { session_id: mesh.slug })).toMatchObject({ status: "closed" });
});

it("[WAKE-8] [WAKE-17] a nudge holds counts alone, and the person sees who wrote, which no model is shown", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const { letter } = await mesh.write("Birch", { from: "Ben obeys" });
  await birch.model.waitFor(letter);
  await birch.rests();
  await birch.terminal.untilShown(/Ben obeys → you: /);
  expect(birch.model.conversation).toMatch(/Merkle nudge \d+: \d+ unread\. If they are not below/);
  expect(birch.model.conversation).not.toContain("→ you:");
});

it("[WAKE-16] after Esc nothing is nudged for until the next prompt, or for 20 s", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const tool = createLongTool(birch.machine);
  await birch.prompt(`${tool.step} then say finished`);
  await tool.untilRunning();
  await birch.terminal.press("Escape");
  await expect.poll(birch.terminal.readScreen).not.toContain("esc to interrupt");
  const interruptedAt = performance.now();
  const { letter } = await mesh.write("Birch");
  await birch.model.waitFor(letter);
  // The client records that it is idle slightly before its screen shows it, so the delay measured here is slightly too
  // short.
  expect(performance.now() - interruptedAt).toBeGreaterThan(12_000);
});

it("[WAKE-9] [WAKE-16] a turn that ends by itself holds no nudge, however soon it ends", async () => {
  const mesh = await startMesh(onTestFinished);
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  for (let count = 0; count < 4; count += 1) {
    const { letter, postedAtMs } = await mesh.write("Birch");
    const { atMs } = await birch.model.waitFor(letter);
    expect(atMs - postedAtMs).toBeLessThan(12_000);
    await birch.rests();
    // Half a second after a message starts waiting for a turn to end, the server checks whether the turn was
    // interrupted.
    await delay(1_000);
  }
});
