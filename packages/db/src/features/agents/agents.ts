import type { DeclaredStatus } from "@merkle/wire";
import { sql } from "drizzle-orm";
import { approvals, feeds, messages, peers, persons, tasks, teams } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import type { PeerHere } from "../../sessions/peers.js";
import { type FactScope, fromOpenSessions } from "../../views/attention.js";

/** An agent's peer in an open session, and the task that the peer claimed last. */
export interface AgentRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly title: string;
  readonly peerId: string;
  readonly teamId: string;
  readonly team: string;
  readonly colour: number;
  readonly name: string | null;
  readonly role: string | null;
  readonly declaredStatus: DeclaredStatus | null;
  readonly declaredReason: string | null;
  readonly declaredAt: Date | null;
  readonly summary: string | null;
  readonly summaryAt: Date | null;
  readonly model: string | null;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly heldNode: string | null;
  readonly pollingNode: string | null;
  readonly here: PeerHere;
  readonly goneAt: Date | null;
  readonly leftAt: null;
  readonly teamLeftAt: null;
  readonly acked: number;
  readonly task: number | null;
  readonly taskTitle: string | null;
  readonly taskSince: Date | null;
}

const instants = [
  "declaredAt",
  "summaryAt",
  "joinedAt",
  "lastSeenAt",
  "lastPolledAt",
  "goneAt",
  "taskSince",
] as const;

/**
 * Lists the agents in a mesh's open sessions. Agents that report being blocked come first, then the most
 * recently seen.
 */
export async function listAgentRows(db: Queryable, scope: FactScope): Promise<AgentRow[]> {
  const rows = await db.execute<Record<string, unknown>>(sql`
    SELECT a.*, k.number AS task, k.title AS "taskTitle", k.claimed_at AS "taskSince"
    FROM (
      SELECT s.session_id AS "sessionId", s.slug, s.title, p.peer_id AS "peerId", t.team_id AS "teamId", t.name AS team, t.colour,
             p.name, p.role, p.declared_status AS "declaredStatus", p.declared_reason AS "declaredReason",
             p.declared_at AS "declaredAt", p.summary, p.summary_at AS "summaryAt", p.capabilities ->> 'model' AS model,
             p.joined_at AS "joinedAt", p.last_seen_at AS "lastSeenAt", p.last_polled_at AS "lastPolledAt",
             p.held_node AS "heldNode", p.polling_node AS "pollingNode", p.here, p.gone_at AS "goneAt", p.acked::float8 AS acked
      FROM ${fromOpenSessions(scope)}
      JOIN ${teams} t ON t.session_id = s.session_id AND t.kind = 'agent' AND t.left_at IS NULL
      JOIN ${peers} p ON p.session_id = t.session_id AND p.team_id = t.team_id AND p.left_at IS NULL
      ORDER BY p.declared_status IS NOT DISTINCT FROM 'blocked' DESC, coalesce(p.last_seen_at, p.joined_at) DESC, p.peer_id
      LIMIT ${scope.limit}) a
    LEFT JOIN LATERAL (
      SELECT k.number, k.title, k.claimed_at FROM ${tasks} k
      WHERE k.session_id = a."sessionId" AND k.holder_peer_id = a."peerId" AND k.state = 'claimed'
      ORDER BY k.claimed_at DESC, k.number DESC LIMIT 1) k ON true`);
  return rows.map((row) => {
    const times = instants.map((name) => [name, row[name] === null ? null : new Date(String(row[name]))]);
    // The SQL column names match the field names of `AgentRow`.
    return { ...row, ...Object.fromEntries(times), leftAt: null, teamLeftAt: null } as unknown as AgentRow;
  });
}

/** Identifies an agent's peer, together with the sequence up to which it has read. */
export interface AgentKey {
  readonly sessionId: string;
  readonly peerId: string;
  readonly acked: number;
}

/** An ask or permission request from a peer that has not been answered. */
export interface WaitRow {
  readonly peerId: string;
  readonly kind: "ask" | "approval";
  readonly number: number;
  readonly recipients: readonly string[];
  readonly human: boolean;
  readonly text: string;
  readonly since: Date;
}

/** Lists the given agents' unanswered asks and permission requests, oldest first. */
export async function listWaits(
  db: Queryable,
  meshId: string,
  agents: readonly AgentKey[],
  charsMax: number,
): Promise<WaitRow[]> {
  if (agents.length === 0) return [];
  const rows = await db.execute<Omit<WaitRow, "since"> & { ms: string } & Record<string, unknown>>(sql`
    SELECT w.*, (extract(epoch FROM w.at) * 1000)::bigint AS ms
    FROM ${selectKeys(agents)} CROSS JOIN LATERAL (
      SELECT m.posted_by_peer_id AS "peerId", 'ask' AS kind, m.sequence::float8 AS number,
             to_json(array_remove(m.recipients, '*')) AS recipients,
             m.reaches IS NULL OR '@humans' = ANY (m.recipients) OR EXISTS (
               SELECT FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
               WHERE p.session_id = m.session_id AND p.peer_id = ANY (m.reaches) AND t.kind <> 'agent') AS human,
             left(coalesce(m.content::json ->> 'text', ''), ${charsMax}) AS text, m.posted_at AS at
      FROM ${messages} m
      WHERE m.session_id = k.session_id AND m.kind = 'ask' AND m.posted_by_peer_id = k.peer_id AND m.salt IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${messages} a WHERE a.session_id = m.session_id AND a.answers = m.sequence)
      OFFSET 0) w
    UNION ALL
    SELECT a.peer_id, 'approval', a.number, to_json(ARRAY[h.name]), true, a.tool, a.asked_at,
           (extract(epoch FROM a.asked_at) * 1000)::bigint
    FROM ${selectKeys(agents)}
    JOIN ${approvals} a ON a.session_id = k.session_id AND a.peer_id = k.peer_id AND a.state = 'waiting' AND a.expires_at > now()
    JOIN ${persons} h ON h.mesh_id = ${meshId} AND h.person_id = a.person_id
    ORDER BY ms`);
  return rows.map(({ peerId, kind, number, recipients, human, text, ms }) => ({
    ...{ peerId, kind, number, recipients, human, text },
    since: new Date(Number(ms)),
  }));
}

/** Unread messages are counted only among this many messages at the end of a feed. */
const lookedThroughMax = 2_000;

/** Counts unread messages per agent, up to `countedMax`. Agents without unread messages are omitted. */
export async function countUnreadOfAgents(
  db: Queryable,
  agents: readonly AgentKey[],
  countedMax: number,
): Promise<Map<string, number>> {
  if (agents.length === 0) return new Map();
  const rows = await db.execute<{ peer_id: string; unread: number }>(sql`
    SELECT k.peer_id, c.unread
    FROM ${selectKeys(agents)}
    JOIN ${feeds} f ON f.session_id = k.session_id AND f.last_chat_sequence > k.acked
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS unread FROM (
        SELECT FROM ${messages} m
        WHERE m.session_id = k.session_id AND m.sequence > greatest(k.acked, f.last_sequence - ${lookedThroughMax}::int)
          AND m.type = 'chat' AND m.posted_by_peer_id IS DISTINCT FROM k.peer_id
          AND (m.reaches IS NULL OR k.peer_id = ANY (m.reaches))
        LIMIT ${countedMax}) m) c
    WHERE c.unread > 0`);
  return new Map(rows.map((row) => [row.peer_id, row.unread]));
}

export interface AgentUsage {
  readonly tokens: number;
  /** Total cost in US dollars. Null if no report included a cost. */
  readonly costUsd: number | null;
}

/** Sums the reported usage per agent. Agents without reports are omitted. */
export async function sumUsageOfAgents(
  db: Queryable,
  agents: readonly AgentKey[],
): Promise<Map<string, AgentUsage>> {
  if (agents.length === 0) return new Map();
  const rows = await db.execute<{ peer_id: string; tokens: number; cost: number | null }>(sql`
    SELECT u.peer_id, sum(u.input_tokens + u.output_tokens + u.cache_write_tokens)::float8 AS tokens,
           CASE WHEN sum(u.costed_reports) > 0 THEN sum(u.cost_micros)::float8 / 1000000 END AS cost
    FROM ${selectKeys(agents)} JOIN usage u ON u.session_id = k.session_id AND u.peer_id = k.peer_id
    GROUP BY u.peer_id`);
  return new Map(rows.map(({ peer_id, tokens, cost }) => [peer_id, { tokens, costUsd: cost }]));
}

export interface TalkRow {
  readonly sessionId: string;
  readonly sequence: number;
  readonly peerId: string | null;
  /** Ids of the peers that the message reaches. Null if the message is for everyone. */
  readonly reaches: readonly string[] | null;
  readonly ask: boolean;
  readonly at: Date;
}

/** Lists the latest chat messages posted in open sessions after a given time, oldest first. */
export async function listTalk(db: Queryable, scope: FactScope, after: Date): Promise<TalkRow[]> {
  const since = sql`${after.toISOString()}::timestamptz`;
  const rows = await db.execute<Omit<TalkRow, "at"> & { ms: string } & Record<string, unknown>>(sql`
    SELECT * FROM (
      SELECT s.session_id AS "sessionId", m.sequence::float8 AS sequence, m.posted_by_peer_id AS "peerId",
             to_json(m.reaches) AS reaches, m.kind IS NOT DISTINCT FROM 'ask' AS ask,
             (extract(epoch FROM m.posted_at) * 1000)::bigint AS ms
      FROM ${fromOpenSessions(scope)} AND f.last_posted_at > ${since}
      CROSS JOIN LATERAL (
        SELECT m.* FROM ${messages} m
        WHERE m.session_id = s.session_id AND m.sequence > f.last_sequence - ${scope.limit}::int
          AND m.type = 'chat' AND m.posted_at > ${since}
        OFFSET 0) m
      ORDER BY m.posted_at DESC LIMIT ${scope.limit}) m
    ORDER BY ms, sequence`);
  return rows.map(({ ms, ...row }) => ({ ...row, at: new Date(Number(ms)) }));
}

function selectKeys(agents: readonly AgentKey[]) {
  const keys = agents.map(({ sessionId, peerId, acked }) => ({
    session_id: sessionId,
    peer_id: peerId,
    acked,
  }));
  return sql`json_to_recordset(${JSON.stringify(keys)}::text::json) AS k (session_id uuid, peer_id uuid, acked bigint)`;
}
