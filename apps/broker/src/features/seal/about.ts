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
import { toStateEntry } from "../state/feature.js";

/** Where what is said around a session's logs is read. */
export interface AboutSource {
  readonly db: Queryable;
  readonly meshId: string;
  readonly sessionId: string;
  /** Reads again what failed on the way; not within a transaction, which ends with its connection. */
  readonly retry?: <Result>(attempt: () => Promise<Result>) => Promise<Result>;
}

/** The hashes of what is said around a session's logs at this moment, as a head has them (SEAL-1). */
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
 * A bundle's `roster.json`: who took part, in which groups, from when to when. What comes and goes by the minute is not in it,
 * and where on their machines they worked is nobody's business elsewhere.
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

/** A bundle's `state.ndjson`: what the session's keys hold, the last thing that was agreed on. */
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
