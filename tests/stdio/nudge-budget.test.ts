import { beforeAll, expect, it, onTestFinished } from "vitest";
import { openToolServer } from "../../apps/cli/src/mcp/tool-server.js";
import type { NudgeDelays } from "../../apps/cli/src/mcp/waking/wake.js";
import { readConfig } from "../../apps/cli/src/settings/config.js";
import { createCleanup } from "../kit/cleanup.js";
import { makeAgentHome } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Correspondent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
});

const hour = 3_600_000;
const teams = Array.from({ length: 12 }, (_, index) => `Birch ${index + 1}`);

/** An agent's MCP server whose client takes nudges by notifications. It runs in this process. */
interface IdleAgent {
  readonly nudges: readonly string[];
  countUnread(): number;
  call(name: string, args: object): Promise<void>;
}

async function startIdleAgent(
  { slug }: Correspondent,
  team: string,
  nudgeDelays: NudgeDelays,
): Promise<IdleAgent> {
  const home = await makeAgentHome();
  const nudges: string[] = [];
  const server = openToolServer({
    config: await readConfig({ flags: { url: broker.url }, env: { MERKLE_HOME: home }, cwd: home }),
    options: {
      join: { session: slug, team },
      as: undefined,
      toolsets: new Set(["core"]),
      onlyTools: true,
      view: "compact",
      hasChannel: true,
      isInterruptible: false,
    },
    claudeSessionId: null,
    getClientInfo: () => undefined,
    channel: {
      isConnected: true,
      send: async ({ content }) => void nudges.push(content),
      onChange: () => undefined,
    },
    isStructured: false,
    isRestarted: false,
    onHeard: () => true,
    onUnreached: () => undefined,
    nudgeDelays,
    extensions: [],
    checkConcluded: async () => null,
    log: () => undefined,
  });
  onTestFinished(() => server.close());
  const { signal } = new AbortController();
  const call = async (name: string, args: object) => {
    const { result, settle } = await server.call({ name, args, toolUseId: undefined, signal });
    expect(result).not.toMatchObject({ isError: true });
    settle(true);
  };
  await call("list_participants", {});
  return {
    nudges,
    countUnread: () => server.countUnread().reduce((sum, { unread }) => sum + unread, 0),
    call,
  };
}

async function startTwelve(delays: NudgeDelays) {
  const alder = await startSession(broker);
  const agents = await Promise.all(teams.map((team) => startIdleAgent(alder, team, delays)));
  return { alder, agents };
}

it("[WAKE-9] of twelve idle agents, a remark to everyone nudges none at once, and comes along with the next nudge", async () => {
  const { alder, agents } = await startTwelve({
    soonMs: hour,
    pauseMs: hour,
    pauseMsMax: hour,
    laterMs: hour,
  });
  await alder.post("nice weather");
  // Each agent also has the joins of those that came after it.
  const joins = (teams.length * (teams.length - 1)) / 2;
  const countUnread = () => agents.reduce((sum, agent) => sum + agent.countUnread(), 0);
  await expect.poll(countUnread).toBe(joins + teams.length);
  await alder.post("for you", { to: teams[0] });
  const first = agents[0];
  await expect.poll(() => first?.nudges).toHaveLength(1);
  expect(first?.nudges[0]).toContain(`${first?.countUnread()} unread`);
  expect(agents.slice(1).flatMap(({ nudges }) => nudges)).toEqual([]);
});

it("[WAKE-20] an agent that chose to be nudged by what is addressed is not nudged by a remark to everyone", async () => {
  const { alder, agents } = await startTwelve({ soonMs: 0, pauseMs: 100, pauseMsMax: 100, laterMs: hour });
  const [birch, ...others] = agents;
  await birch?.call("set_wake", { wake: "addressed" });
  await alder.post("nice weather");
  await expect.poll(() => others.map(({ nudges }) => nudges.length)).toEqual(others.map(() => 1));
  await alder.post("for you", { to: teams[0] });
  await expect.poll(() => birch?.nudges.length).toBe(1);
});

it("[WAKE-9] once the conversation pauses, a remark to everyone nudges all of them, each once", async () => {
  const { alder, agents } = await startTwelve({ soonMs: 0, pauseMs: 100, pauseMsMax: 100, laterMs: hour });
  await alder.post("nice weather");
  await expect
    .poll(() => agents.map(({ nudges }) => nudges.length), { timeout: 30_000 })
    .toEqual(teams.map(() => 1));
});
