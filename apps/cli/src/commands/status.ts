import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import {
  describeDegradation,
  describeWriteProblem,
  readClients,
  readHealth,
} from "../broker/broker-facts.js";
import { describeDemoSession, findDemoSession } from "../broker/demo-room.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { type Actor, getReadingActor } from "../identity/actors.js";
import { formatCount, toDuration } from "../text/time.js";

export const status: Command = {
  name: "status",
  summary: "show whether a broker is running and what it contains",
  examples: ["merkle status", "merkle status --json", "merkle status --url https://mesh.example.com"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const health = await readHealth(broker);
    const report = { running: true, url: broker.base, ...health };
    const up = `broker up ${toDuration(health.uptime_s)}`;
    const lack = describeDegradation(health);
    if (!health.ready || !health.durable) {
      const trouble = health.ready ? describeWriteProblem(health) : "it is shutting down";
      output.show(report, `${output.mark.warn} ${up} at ${broker.base}, but ${trouble}`);
      return exitCodes.unexpected;
    }
    const facts = await getReadingActor({ broker, config })
      .then((reader) => readMeshFacts(broker, reader))
      .catch(allowUnauthorized);
    if (!facts) {
      output.show({ ...report, joined: false }, `${up}, and only members can connect: merkle join -`);
      return exitCodes.done;
    }
    const { needs_you: needs } = facts;
    const needsText = needs === 0 ? "" : `, ${needs} ${needs === 1 ? "needs" : "need"} you`;
    const activity = `${formatCount(facts.peers_polling, "peer")} waiting for messages, ${formatCount(facts.open_sessions, "open session")}${needsText}`;
    const lackText = lack === null ? "" : `\n${output.mark.warn} ${lack.problem}`;
    output.show({ ...report, ...facts }, `${up}, ${activity}${lackText}`);
    const room = facts.open_sessions === 0 ? await findDemoSession(broker, signal) : undefined;
    if (room !== undefined) output.note(describeDemoSession(room));
    return exitCodes.done;
  },
};

/**
 * Returns null if the caller has no access; otherwise rethrows the error. Anyone may see that a broker is
 * running, but only members see its contents.
 */
function allowUnauthorized(error: unknown): null {
  if (
    error instanceof Error &&
    error.name === "MerkleError" &&
    "code" in error &&
    error.code === "unauthorized"
  )
    return null;
  throw error;
}

interface MeshFacts {
  readonly open_sessions: number;
  /** Peers with a blocked wait. */
  readonly peers_polling: number;
  readonly mcp_url: string;
  /** The number of items that only a person can settle, counted as in the dashboard. */
  readonly needs_you: number;
}

const sessionsAtOnce = 8;

/** Reads the state of the broker's mesh. Items that `reader` has dismissed do not count as waiting. */
async function readMeshFacts(broker: BrokerClient, reader: Actor): Promise<MeshFacts> {
  const [{ connection_url }, { waits }, sessionIds, { needs_person }] = await Promise.all([
    broker.call("get_settings", {}),
    readClients(broker),
    listOpenSessions(broker),
    reader.call("list_attention", {}),
  ]);
  return {
    open_sessions: sessionIds.length,
    // One peer can have several waits, so peers are counted from the rosters. If there are no waits, the
    // rosters are not read.
    peers_polling: waits === 0 ? 0 : await countPolling(broker, sessionIds),
    mcp_url: connection_url,
    needs_you: needs_person,
  };
}

async function listOpenSessions(broker: BrokerClient): Promise<string[]> {
  const sessionIds: string[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await broker.call("list_sessions", {
      status: "open",
      limit: 200,
      ...(before === undefined ? {} : { before }),
    });
    sessionIds.push(...page.sessions.map((each) => each.session_id));
    before = page.next_cursor;
  }
  return sessionIds;
}

async function countPolling(broker: BrokerClient, sessionIds: readonly string[]): Promise<number> {
  const remaining = [...sessionIds];
  let polling = 0;
  const countNext = async () => {
    for (let sessionId = remaining.pop(); sessionId !== undefined; sessionId = remaining.pop()) {
      const { participants } = await broker.call("list_participants", { session_id: sessionId });
      polling += participants.filter((each) => each.polling).length;
    }
  };
  await Promise.all(Array.from({ length: sessionsAtOnce }, countNext));
  return polling;
}
