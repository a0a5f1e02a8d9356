import {
  type AgentRow,
  type AgentUsage,
  countUnreadOfAgents,
  type FactScope,
  listAgentRows,
  listTalk,
  listWaits,
  sumUsageOfAgents,
  type WaitRow,
} from "@merkle/db";
import {
  type Agent,
  type AgentWait,
  agentUnreadCountedMax,
  type OutputOf,
  type ParsedInputOf,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { groupBy } from "../../core/group-by.js";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { derivePresence, filterPresentPeers, type KnownPeer } from "../../sessions/roster/known-peers.js";
import { toReportedState } from "../../sessions/roster/list-peers.js";
import type { ViewServices } from "../../views/services.js";

const agentsMax = 200;
const talkMs = 300_000;
const talkMax = 200;

/**
 * Lists the active agents in open sessions, and the recent conversations between these agents. Agents that
 * need a human come first (PEER-19).
 */
export async function listAgents(
  { services }: Context<ViewServices>,
  { session }: ParsedInputOf<"list_agents">,
): Promise<OutputOf<"list_agents">> {
  const { orm, meshId } = services.database;
  const sessionIds =
    session === undefined ? undefined : [(await requireSession(services, session)).sessionId];
  const scope: FactScope = { meshId, sessionIds, includesFiles: false, limit: agentsMax };
  const now = Date.now();
  const after = new Date(now - talkMs);
  const [rows, talk] = await Promise.all([
    listAgentRows(orm, scope),
    listTalk(orm, { ...scope, limit: talkMax }, after),
  ]);
  const present = filterPresentPeers(rows).map((row) => toSeenAgent(services, row, now));
  const [waits, unread, usageByPeer] = await Promise.all([
    listWaits(orm, meshId, present, limits.reasonCharsMax),
    countUnreadOfAgents(orm, present, agentUnreadCountedMax),
    sumUsageOfAgents(orm, present),
  ]);
  const waitsByPeer = groupBy(waits, ({ peerId }) => peerId);
  const agents = present.map((row) =>
    toAgent(row, {
      waits: waitsByPeer.get(row.peerId) ?? [],
      unread: unread.get(row.peerId) ?? 0,
      usage: usageByPeer.get(row.peerId),
    }),
  );
  const knownPeerIds = new Set(agents.map((agent) => agent.peer_id));
  return {
    // The sort is stable: agents of equal rank keep the order of the rows.
    agents: agents.sort((a, b) => rankOf(a) - rankOf(b)),
    talk: talk.map(({ sessionId, sequence, peerId, reaches, ask, at }) => ({
      session_id: sessionId,
      sequence,
      from: peerId !== null && knownPeerIds.has(peerId) ? peerId : null,
      to: reaches?.filter((id) => knownPeerIds.has(id)) ?? null,
      ask,
      at: at.toISOString(),
    })),
  };
}

/** Agents that need a human come first, then agents that wait for another agent. */
function rankOf({ declared, waits }: Agent): number {
  if (declared?.status === "blocked" || waits.some(({ human }) => human)) return 0;
  return waits.length > 0 ? 1 : 2;
}

type SeenAgent = AgentRow & Pick<KnownPeer, "status" | "polling">;

/** Updates a stored row with changes that this broker has observed since the row was written. */
function toSeenAgent(services: ViewServices, row: AgentRow, now: number): SeenAgent {
  const { lastSeenAt, status, polling, live } = derivePresence(services, row, now);
  return { ...row, lastSeenAt, status, polling, acked: Math.max(row.acked, live?.cursors.acked ?? 0) };
}

interface AgentFacts {
  readonly waits: readonly WaitRow[];
  readonly unread: number;
  readonly usage: AgentUsage | undefined;
}

function toAgent(row: SeenAgent, { waits, unread, usage }: AgentFacts): Agent {
  const { task, taskTitle, taskSince } = row;
  return {
    session_id: row.sessionId,
    session: row.slug,
    session_title: row.title,
    peer_id: row.peerId,
    team_id: row.teamId,
    team: row.team,
    colour: row.colour,
    name: row.name,
    role: row.role,
    model: row.model,
    ...toReportedState(row),
    polling: row.polling,
    joined_at: row.joinedAt.toISOString(),
    last_seen_at: (row.lastSeenAt ?? row.joinedAt).toISOString(),
    task:
      task !== null && taskTitle !== null && taskSince
        ? { task, title: taskTitle, since: taskSince.toISOString() }
        : null,
    waits: waits.map(toWait),
    unread,
    tokens: usage?.tokens ?? null,
    cost_usd: usage?.costUsd ?? null,
  };
}

function toWait({ kind, number, recipients, human, text, since }: WaitRow): AgentWait {
  return { kind, number, on: [...recipients], human, text, since: since.toISOString() };
}
