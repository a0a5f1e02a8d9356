import { createHash } from "node:crypto";
import { listPeers, listStateEntries, type Queryable, type RecordExtent } from "@merkle/db";
import {
  type HeadAbout,
  hashSession,
  type SessionInfo,
  toCanonicalJson,
  writeJsonLine,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import { toStateEntry } from "../../sessions/state-entry.js";

/** Identifies the session whose facts, roster and state are read. */
export interface AboutSource {
  readonly db: Queryable;
  readonly meshId: string;
  readonly sessionId: string;
  /**
   * Retries a read after a lost connection. Omit within a transaction, which cannot continue on another
   * connection.
   */
  readonly retry?: <Result>(attempt: () => Promise<Result>) => Promise<Result>;
}

/** Returns the hashes of the session's current facts, roster and state, as they appear in a head (SEAL-1). */
export async function readAbout(source: AboutSource, extent: RecordExtent): Promise<HeadAbout> {
  return {
    session: hashSession({ session: toSessionAbout(extent) }, sha256),
    roster: await hashTexts([await readRosterText(source, extent)]),
    state: await hashTexts(readStateLines(source)),
  };
}

export function toSessionAbout(extent: RecordExtent): SessionInfo {
  const { recordId, slug, title, description, createdAt, closedAt } = extent;
  return {
    session_id: recordId,
    slug,
    title,
    description,
    status: closedAt ? "closed" : "active",
    created_at: createdAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
  };
}

/**
 * Returns a bundle's `roster.json`: who took part, in which groups and when. Omits data that changes from
 * minute to minute, and the folders in which agents worked.
 */
export async function readRosterText(
  { db, meshId, sessionId, retry = attemptOnce }: AboutSource,
  { createdByTeamId }: Pick<RecordExtent, "createdByTeamId">,
): Promise<string> {
  const rows = await retry(() => listPeers(db, meshId, sessionId));
  const teams = new Map(rows.map((row) => [row.teamId, row]));
  const participants = [...teams.values()].map((team) => ({
    team_id: team.teamId,
    team_name: team.team,
    kind: team.kind,
    convener: team.teamId === createdByTeamId,
    joined_at: team.teamJoinedAt.toISOString(),
    left_at: team.teamLeftAt?.toISOString() ?? null,
  }));
  const peers = rows.map((peer) => ({
    peer_id: peer.peerId,
    team_id: peer.teamId,
    name: peer.name,
    role: peer.role,
    groups: peer.groups.map(({ name, role }) => ({ name, role })),
    joined_at: peer.joinedAt.toISOString(),
    left_at: peer.leftAt?.toISOString() ?? null,
  }));
  return `${toCanonicalJson({ participants, peers })}\n`;
}

const page = { rowsMax: 100, bytesMax: 1024 * 1024 };

/** Yields the lines of a bundle's `state.ndjson`: the current values of the session's state keys. */
export async function* readStateLines({
  db,
  sessionId,
  retry = attemptOnce,
}: AboutSource): AsyncGenerator<string> {
  let after = "";
  for (let isMore = true; isMore; ) {
    const range = { prefix: "", after };
    const { entries, hasMore } = await retry(() => listStateEntries(db, sessionId, range, page));
    yield entries.map((row) => writeJsonLine(toStateEntry(row))).join("");
    after = entries.at(-1)?.key ?? after;
    isMore = hasMore;
  }
}

function attemptOnce<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return attempt();
}

async function hashTexts(texts: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const text of texts) hash.update(text);
  return hash.digest("hex");
}
