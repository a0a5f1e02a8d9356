import { expect, it, onTestFinished } from "vitest";
import { listStoredPeers } from "../../../apps/cli/src/home/stored-peers.js";
import { brokerTransports } from "../../kit/transports.js";
import { type AgentOptions, type InteractiveAgent, startAgent } from "../kit/agent.js";
import { clear, compact, rewind } from "../kit/conversation.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";

type Change = (
  birch: InteractiveAgent,
  options: AgentOptions,
) => Promise<{ readonly agent?: InteractiveAgent; readonly other?: string } | undefined>;

/** What a user does before the rest; some start another agent for it, or join another session. */
const changes: Record<string, Change> = {
  "after /compact": async (birch) => void (await compact(birch)),
  "after /clear": async (birch) => void (await clear(birch, "ready")),
  "after /rewind": async (birch) => void (await rewind(birch)),
  async "when its conversation is resumed"(birch, { machine, ...options }) {
    await birch.exit();
    const stored = await listStoredPeers(birch.machine.merkleHome, null);
    const { claude_session_id: id } = stored.find((each) => each.team_name === "Birch") ?? {};
    const claudeArgs = [...(options.claudeArgs ?? []), `--resume=${id}`];
    return { agent: await startAgent({ ...options, machine: birch.machine, claudeArgs }, onTestFinished) };
  },
  async "beside another agent in its folder"({ machine }, options) {
    await startAgent({ ...options, team: "Cedar", machine }, onTestFinished);
    return undefined;
  },
  async "in two sessions"(birch, { mesh }) {
    const other = "other";
    const transport = await brokerTransports.rest(mesh.url);
    onTestFinished(() => transport.close());
    await transport.call("create_session", { title: "Other", slug: other, creator_team_name: "Oak" });
    const where = JSON.stringify({ session_id: other, team_name: "Birch", peer_name: "atlas" });
    await birch.prompt(`call mcp__merkle__join_session ${where} then say joined`);
    await birch.rests();
    return { other };
  },
};

it.each(Object.entries(changes))(
  "[WAKE-8] [WAKE-9] [WAKE-16] [WAKE-18] %s an agent is woken at once, shows what it waits for, is left alone after Esc, and is then nudged by counts",
  async (_, change) => {
    const mesh = await startMesh(onTestFinished);
    const transport = await brokerTransports.rest(mesh.url);
    onTestFinished(() => transport.close());
    const machine = await makeMachine(onTestFinished);
    const claudeArgs = ["--permission-mode=manual"];
    const options = { mesh, team: "Birch", machine, claudeArgs };
    const first = await startAgent(options, onTestFinished);
    for (const word of ["ready", "steady"]) {
      await first.prompt(`say ${word}`);
      await first.rests();
    }
    const { agent = first, other } = (await change(first, options)) ?? {};
    const declared = async (session_id: string, team = "Birch") => {
      const { peers } = await transport.call("list_peers", { session_id });
      return peers.find((each) => each.team === team && each.name !== null)?.declared;
    };

    // What the user did was no turn that was interrupted.
    const soon = await mesh.write("Birch");
    expect((await agent.model.shows(soon.letter)).atMs - soon.postedAtMs).toBeLessThan(12_000);
    await agent.rests();

    const file = `${machine.project}/x`;
    await agent.prompt(`call Write {"file_path":"${file}","content":"hello"} then say tried`);
    const sessions = [mesh.slug, ...(other === undefined ? [] : [other])];
    const reason = `waiting for permission at its terminal: Write "${file}"`;
    for (const session of sessions)
      await expect.poll(() => declared(session)).toMatchObject({ status: "blocked", reason });
    expect((await declared(mesh.slug, "Cedar"))?.status).not.toBe("blocked");
    await agent.terminal.press("Escape");
    for (const session of sessions)
      await expect.poll(() => declared(session)).toMatchObject({ status: "idle", reason: null });

    const interruptedAt = performance.now();
    const { letter } = await mesh.write("Birch", { from: "Ben obeys" });
    const { atMs } = await agent.model.shows(letter);
    expect(atMs - interruptedAt).toBeGreaterThan(12_000);
    await agent.rests();
    expect(agent.model.conversation).toMatch(/Merkle nudge \d+: \d+ unread\. If they are not below/);
  },
);
