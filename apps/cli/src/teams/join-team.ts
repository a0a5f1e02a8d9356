import { type InputOf, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import { findHeldTeam, forgetTeam, type HeldTeam, holdTeam, listHeldTeams, saveTeam } from "./held-teams.js";
import type { ProcessLock } from "./process-lock.js";
import { toHeldTeam } from "./to-held-team.js";

/** Whatever calls a broker's operations: the REST client of the commands, or the client of the wire. */
export interface OperationCaller {
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

/** A team's place in a session, as it is asked for on this machine. */
export interface WantedTeam {
  readonly home: string;
  readonly meshId: string;
  /** The session's id or slug. */
  readonly sessionId: string;
  readonly teamName: string;
}

export interface JoinTeam extends WantedTeam {
  readonly caller: OperationCaller;
  readonly claudeSessionId: string | null;
}

export interface JoinedTeam {
  readonly held: HeldTeam;
  /** To be released when the process acts as the team no more. */
  readonly hold: ProcessLock;
  /** Whether it was a team that this machine held. */
  readonly resumed: boolean;
  readonly joined: OutputOf<"join_session">;
}

/**
 * Joins a session as a team that this machine holds and no live process acts as, or else as a new one, which is then
 * held. A taken name is numbered by the broker; a held team with such a number is taken too when its plain name is asked
 * for and not free (LAUNCH-4). A held team that the broker refuses is forgotten.
 */
export async function joinTeam(wanted: JoinTeam): Promise<JoinedTeam> {
  for (const { team_id } of await listCandidates(wanted)) {
    const resumed = await resumeTeam(wanted, team_id);
    if (resumed) return resumed;
  }
  return joinAnew(wanted);
}

/** The held team that `joinTeam` would resume at this moment, or undefined when it would join as a new one. */
export async function findFreeTeam(wanted: WantedTeam): Promise<HeldTeam | undefined> {
  for (const team of await listCandidates(wanted)) {
    const hold = await holdTeam(wanted.home, team.team_id);
    if (!hold) continue;
    await hold.release();
    return team;
  }
  return undefined;
}

/** The held teams of that session and name, the exact name first and then the numbered ones in their order. */
async function listCandidates({ home, meshId, sessionId, teamName }: WantedTeam): Promise<HeldTeam[]> {
  const teams = await listHeldTeams(home, meshId);
  return teams
    .filter((each) => each.session_id === sessionId || each.slug === sessionId)
    .map((team) => ({ team, number: numberAfter(teamName, team.team_name) }))
    .filter(({ number }) => number !== undefined)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
    .map(({ team }) => team);
}

/** 1 for the name itself, in any case; n for `Name (n)`; undefined for another name. */
function numberAfter(wanted: string, name: string): number | undefined {
  const plain = wanted.trim().toLowerCase();
  const found = name.toLowerCase();
  if (found === plain) return 1;
  const suffix = found.startsWith(`${plain} (`) ? /^\((\d+)\)$/.exec(found.slice(plain.length + 1)) : null;
  return suffix ? Number(suffix[1]) : undefined;
}

async function resumeTeam(wanted: JoinTeam, teamId: string): Promise<JoinedTeam | undefined> {
  const hold = await holdTeam(wanted.home, teamId);
  if (!hold) return undefined;
  let resumed = false;
  try {
    const joined = await rejoin(wanted, teamId);
    if (!joined) return undefined;
    const held = toHeldTeam(joined, wanted);
    // Saved anew, so that the newest of the held teams is the one used last.
    await saveTeam(wanted.home, held);
    resumed = true;
    return { held, hold, resumed, joined };
  } finally {
    if (!resumed) await hold.release();
  }
}

async function rejoin(
  { caller, home }: JoinTeam,
  teamId: string,
): Promise<OutputOf<"join_session"> | undefined> {
  // Read under the hold: who held it before may have changed its credential, or forgotten it.
  const team = await findHeldTeam(home, teamId);
  if (!team) return undefined;
  try {
    return await caller.call("join_session", {
      session_id: team.session_id,
      team_name: team.team_name,
      team_id: team.credential,
    });
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "unauthorized") throw error;
    await forgetTeam(home, teamId);
    return undefined;
  }
}

async function joinAnew(wanted: JoinTeam): Promise<JoinedTeam> {
  const { caller, home, sessionId, teamName } = wanted;
  const joined = await caller.call("join_session", { session_id: sessionId, team_name: teamName });
  const held = toHeldTeam(joined, wanted);
  // Held before it is saved, so that nobody else finds it free.
  const hold = await holdTeam(home, held.team_id);
  if (!hold) throw new Error(`Another process holds ${held.team_id}, which has joined just now.`);
  try {
    await saveTeam(home, held);
    return { held, hold, resumed: false, joined };
  } catch (error) {
    await hold.release();
    throw error;
  }
}
