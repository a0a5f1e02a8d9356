import { createHash } from "node:crypto";
import { listPeers, listStateEntries, type Queryable, type RecordExtent } from "@merkle/db";
import {
  canonicalJson,
  type HeadAbout,
  type SessionAbout,
  sessionHash,
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
    session: sessionHash({ session: sessionAbout(extent) }, sha256),
    roster: await hashOf([await rosterText(source, extent)]),
    state: await hashOf(stateLines(source)),
  };
}

export function sessionAbout(extent: RecordExtent): SessionAbout {
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
export async function rosterText(
  { db, meshId, sessionId, retry = once }: AboutSource,
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
  return `${canonicalJson({ participants, peers })}\n`;
}

const page = { rowsMax: 100, bytesMax: 1024 * 1024 };

/** Yields the lines of a bundle's `state.ndjson`: the current values of the session's state keys. */
export async function* stateLines({ db, sessionId, retry = once }: AboutSource): AsyncGenerator<string> {
  let after = "";
  for (let goesOn = true; goesOn; ) {
    const wanted = { prefix: "", after };
    const { entries, more } = await retry(() => listStateEntries(db, sessionId, wanted, page));
    yield entries.map((row) => writeJsonLine(toStateEntry(row))).join("");
    after = entries.at(-1)?.key ?? after;
    goesOn = more;
  }
}

function once<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return attempt();
}

async function hashOf(texts: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const text of texts) hash.update(text);
  return hash.digest("hex");
}
