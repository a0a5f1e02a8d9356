import { operations } from "@merkle/wire/schemas";
import { expect, it, onTestFinished } from "vitest";
import { startAgent, startInstalled } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";
import type { ModelPrompt } from "../kit/shown.js";

const firstHour = operations
  .filter(({ loadedUpfront }) => loadedUpfront)
  .map(({ name }) => `mcp__merkle__${name}`)
  .sort();

it("[STDIO-14] [WAKE-12] a launched agent's first request has the tools of the first hour and says who it is, its subagents' requests have the tools too", async () => {
  const mesh = await startMesh(onTestFinished);
  const agent = await startAgent({ mesh, team: "Birch", name: "oak" }, onTestFinished);
  await agent.prompt(
    'call Agent {"description":"greet","prompt":"say hello","subagent_type":"general-purpose"} then say greeted',
  );
  await agent.rests();
  const { requests, bySubagents } = agent.model;
  for (const request of [...requests, ...bySubagents]) expect(listMerkleTools(request)).toEqual(firstHour);
  expect(bySubagents).not.toEqual([]);
  expect(requests[0]?.conversation).toContain(`You are "Birch/oak" in the session "${mesh.slug}"`);
});

it("[STDIO-14] after install no request has one of Merkle's tools, until the model loads it", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  const agent = await startInstalled({ mesh, team: "Birch", machine }, onTestFinished);
  await agent.prompt("say hello");
  await agent.rests();
  expect(agent.model.requests.flatMap(listMerkleTools)).toEqual([]);
  await agent.prompt('call ToolSearch {"query":"select:mcp__merkle__post_message"} then say loaded');
  await agent.rests();
  expect(agent.model.requests.slice(-1).flatMap(listMerkleTools)).toEqual(["mcp__merkle__post_message"]);
});

const listMerkleTools = ({ tools }: ModelPrompt) =>
  tools.filter((name) => name.startsWith("mcp__merkle__")).sort();
