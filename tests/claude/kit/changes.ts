import { onTestFinished } from "vitest";
import { listStoredPeers } from "../../../apps/cli/src/home/stored-peers.js";
import { brokerTransports, type TransportClient } from "../../kit/transports.js";
import { type AgentOptions, type InteractiveAgent, startAgent } from "./agent.js";
import { clear, compact, rewind } from "./conversation.js";
import { makeMachine } from "./machine.js";
import { type Mesh, startMesh } from "./mesh.js";

/** The agent Birch, its mesh and its sessions, after the user's changes. */
export interface ChangedAgents {
  readonly mesh: Mesh;
  readonly transport: TransportClient;
  readonly birch: InteractiveAgent;
  /** Birch, and the second agent in the same folder, if any. */
  readonly agents: readonly InteractiveAgent[];
  /** The sessions that Birch has joined. */
  readonly sessions: readonly string[];
}

type Change = (before: ChangedAgents, options: AgentOptions) => Promise<Partial<ChangedAgents> | undefined>;

export const changes = {
  "after /compact": async ({ birch }) => void (await compact(birch)),
  "after /clear": async ({ birch }) => void (await clear(birch, "ready")),
  "after /rewind": async ({ birch }) => void (await rewind(birch)),
  async "when its conversation is resumed"({ birch }, { machine, ...options }) {
    await birch.exit();
    const stored = await listStoredPeers(birch.machine.merkleHome, null);
    const { claude_session_id: id } = stored.find((each) => each.team_name === "Birch") ?? {};
    const claudeArgs = [...(options.claudeArgs ?? []), `--resume=${id}`];
    const resumed = await startAgent({ ...options, machine: birch.machine, claudeArgs }, onTestFinished);
    return { birch: resumed, agents: [resumed] };
  },
  async "beside another agent in its folder"({ birch }, options) {
    return { agents: [birch, await startAgent({ ...options, team: "Cedar" }, onTestFinished)] };
  },
  async "in two sessions"({ birch, transport, sessions }) {
    const slug = "other";
    await transport.call("create_session", { title: "Other", slug, creator_team_name: "Oak" });
    const where = JSON.stringify({ session_id: slug, team_name: "Birch", peer_name: "atlas" });
    await birch.prompt(`call mcp__merkle__join_session ${where} then say joined`);
    await birch.rests();
    return { sessions: [...sessions, slug] };
  },
} satisfies Record<string, Change>;

/** Starts Birch, enters two prompts, and then makes the given changes in order. */
export async function startChanged(
  order: readonly Change[],
  { claudeArgs = [] }: Pick<AgentOptions, "claudeArgs"> = {},
): Promise<ChangedAgents> {
  const mesh = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const machine = await makeMachine(onTestFinished);
  const options = { mesh, team: "Birch", machine, claudeArgs };
  const birch = await startAgent(options, onTestFinished);
  for (const word of ["ready", "steady"]) {
    await birch.prompt(`say ${word}`);
    await birch.rests();
  }
  let changed: ChangedAgents = { mesh, transport, birch, agents: [birch], sessions: [mesh.slug] };
  for (const change of order) changed = { ...changed, ...(await change(changed, options)) };
  return changed;
}
