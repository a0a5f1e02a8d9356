import { MerkleError } from "@merkle/wire";
import { findHeldTeam, forgetTeam, type HeldTeam, holdTeam, listHeldTeams } from "../teams/held-teams.js";
import { joinTeam } from "../teams/join-team.js";
import type { BrokerLink } from "./broker-link.js";
import type { Keyring } from "./keyring.js";
import type { McpOptions } from "./options.js";
import type { Teams } from "./teams.js";

/** How this server gets into the sessions that it was started for. */
export interface Entrance {
  /**
   * Resolves when it is in, or with the reason why it cannot be: then the next call tries again.
   *
   * @throws MerkleError `unavailable` when there is no broker to ask
   */
  enter(): Promise<MerkleError | null>;
}

export interface EntranceOptions {
  readonly link: BrokerLink;
  readonly teams: Teams;
  readonly keyring: Keyring;
  readonly home: string;
  readonly options: Pick<McpOptions, "join" | "as">;
  readonly claudeSessionId: string | null;
}

/**
 * Enters as the team that was named (`--as`), as those that an earlier server of the same Claude Code session acted as,
 * whose place is still theirs, or as the team and into the session that were asked for (STDIO-7, STDIO-8).
 */
export function createEntrance(entranceOptions: EntranceOptions): Entrance {
  let entering: Promise<MerkleError | null> | undefined;

  async function tryToEnter(): Promise<MerkleError | null> {
    try {
      await goIn(entranceOptions);
      return null;
    } catch (error) {
      entering = undefined;
      if (error instanceof MerkleError && error.code !== "unavailable") return error;
      throw error;
    }
  }

  return {
    enter() {
      entering ??= tryToEnter();
      return entering;
    },
  };
}

async function goIn(entrance: EntranceOptions): Promise<void> {
  const { mesh_id: meshId } = await entrance.link.call("get_app_info", {});
  if (entrance.options.as !== undefined) await goOnAs(entrance, meshId, entrance.options.as);
  else await goOnOrJoin(entrance, meshId);
}

/** As exactly this team; whoever started this server keeps others from it. */
async function goOnAs(entrance: EntranceOptions, meshId: string, teamId: string): Promise<void> {
  const held = await findHeldTeam(entrance.home, teamId);
  if (!held) throw notHere(`This machine holds no team ${teamId} (any more)`);
  if (held.mesh_id !== meshId)
    throw notHere(`The team "${held.team_name}" belongs to another mesh than this broker's`);
  await takeUp(entrance, held);
}

function notHere(what: string): MerkleError {
  return new MerkleError("not_found", `${what}: join_session, or have your human start you again.`);
}

async function goOnOrJoin(entrance: EntranceOptions, meshId: string): Promise<void> {
  const { join } = entrance.options;
  const earlier = await goOnFromBefore(entrance, meshId);
  if (!join || earlier.some((held) => isWanted(held, join))) return;
  const { link, teams, keyring, home, claudeSessionId } = entrance;
  const { session: sessionId, team: teamName } = join;
  const { held, hold, joined } = await joinTeam({
    caller: link,
    home,
    meshId,
    sessionId,
    teamName,
    claudeSessionId,
  });
  keyring.keep(held.credential);
  teams.add({
    ...toNewTeam(held),
    place: joined.cursor,
    epoch: await link.connected(),
    documentVersion: joined.document_version,
    release: () => hold.release(),
  });
}

/** Without joining again: so it works in a session that was concluded meanwhile, and nothing unread is lost. */
async function goOnFromBefore(entrance: EntranceOptions, meshId: string): Promise<HeldTeam[]> {
  const { home, claudeSessionId, teams } = entrance;
  if (claudeSessionId === null) return [];
  const held = await listHeldTeams(home, meshId);
  const mine = held.filter((team) => team.claude_session_id === claudeSessionId).reverse();
  const taken: HeldTeam[] = [];
  for (const team of mine) {
    if (teams.find(team.team_id)) {
      taken.push(team);
      continue;
    }
    const hold = await holdTeam(home, team.team_id);
    if (!hold) continue;
    const release = () => hold.release();
    try {
      await takeUp(entrance, team, release);
      taken.push(team);
    } catch (error) {
      await release();
      if (!(error instanceof MerkleError) || !isGone(error)) throw error;
      await forgetTeam(home, team.team_id);
    }
  }
  return taken;
}

function isGone({ code }: MerkleError): boolean {
  return code === "unauthorized" || code === "not_found";
}

async function takeUp(
  { link, teams, keyring }: EntranceOptions,
  held: HeldTeam,
  release?: () => Promise<void>,
): Promise<void> {
  keyring.keep(held.credential);
  const { cursor } = await link.call("ack", {
    session_id: held.session_id,
    team_id: held.credential,
    cursor: 0,
  });
  teams.add({
    ...toNewTeam(held),
    place: cursor,
    epoch: await link.connected(),
    ...(release && { release }),
  });
}

function toNewTeam(held: HeldTeam) {
  const { team_id: teamId, team_name: name, session_id: sessionId, slug, credential } = held;
  return { teamId, name, sessionId, slug, credential };
}

/** A name that was taken has got a number (JOIN-4). */
function isWanted(held: HeldTeam, { session, team }: NonNullable<McpOptions["join"]>): boolean {
  const name = held.team_name.toLowerCase();
  const wanted = team.toLowerCase();
  const isNamed =
    name === wanted || (name.startsWith(wanted) && /^ \(\d+\)$/.test(name.slice(wanted.length)));
  return isNamed && (held.session_id === session.toLowerCase() || held.slug === session);
}
