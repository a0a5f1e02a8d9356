import { type InputOf, type OperationName, type OutputOf, parseTeamCredential } from "@merkle/wire";
import { forgetTeam, type HeldTeam, holdTeam, saveTeam } from "../teams/held-teams.js";
import { joinTeam } from "../teams/join-team.js";
import type { ProcessLock } from "../teams/process-lock.js";
import type { BrokerLink } from "./broker-link.js";
import type { Keyring } from "./keyring.js";
import type { NewTeam, Team, Teams } from "./teams.js";

/** The operations that make, change or end a team: what they give out is kept for the model, and for the next server. */
export interface Membership {
  createSession(input: Fields, signal: AbortSignal): Promise<OutputOf<"create_session">>;
  joinSession(input: Fields, signal: AbortSignal): Promise<OutputOf<"join_session">>;
  leaveSession(input: Fields, team: Team, signal: AbortSignal): Promise<OutputOf<"leave_session">>;
  rotateCredential(
    input: Fields,
    team: Team,
    signal: AbortSignal,
  ): Promise<OutputOf<"rotate_team_credential">>;
}

/** An input as the model gave it, which the broker checks. */
export type Fields = Readonly<Record<string, unknown>>;

interface Joining {
  readonly joined: OutputOf<"join_session">;
  /** The exclusive hold, where it was taken already. */
  readonly hold?: ProcessLock;
}

export interface MembershipOptions {
  readonly link: BrokerLink;
  readonly teams: Teams;
  readonly keyring: Keyring;
  readonly home: string;
  readonly claudeSessionId: string | null;
  readonly log: (text: string) => void;
}

export function createMembership(options: MembershipOptions): Membership {
  const { link, teams, keyring, home, claudeSessionId, log } = options;

  function call<Name extends OperationName>(name: Name, input: Fields, signal: AbortSignal) {
    // Whether it is an input of that operation, the broker says.
    return link.call(name, input as InputOf<Name>, { signal });
  }

  /** Acts as a team from now on, and writes it down, unless somebody has. */
  async function take(team: NewTeam, hold?: ProcessLock): Promise<void> {
    const epoch = await link.connected();
    const isKnown = teams.find(team.teamId) !== undefined;
    const held = hold ?? (isKnown ? undefined : await holdTeam(home, team.teamId).catch(noteUnsaved));
    teams.add({ ...team, epoch, ...(held && { release: () => held.release() }) });
    if (!hold) await save(team);
  }

  /** Where it cannot be written down, the next server cannot go on as it; this one can. */
  async function save(team: Pick<Team, "teamId" | "name" | "sessionId" | "slug" | "credential">) {
    try {
      const { mesh_id } = await link.call("get_app_info", {});
      await saveTeam(home, toHeldTeam(team, mesh_id, claudeSessionId));
    } catch (error) {
      noteUnsaved(error);
    }
  }

  function noteUnsaved(error: unknown): undefined {
    log(`the team's credential could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** One's own name again is one's own place again, here (MCP-2) or on this machine; another name is another team. */
  async function joinWithoutCredential(input: Fields, signal: AbortSignal): Promise<Joining> {
    const { session_id: session, team_name: name, ...more } = input;
    const known =
      typeof session === "string" && typeof name === "string" ? teams.findNamed(session, name) : undefined;
    if (known) return { joined: await call("join_session", { ...input, team_id: known.credential }, signal) };
    if (typeof session !== "string" || typeof name !== "string" || Object.keys(more).length > 0)
      return { joined: await call("join_session", input, signal) };
    const { mesh_id: meshId } = await link.call("get_app_info", {}, { signal });
    const caller = {
      call: <Name extends OperationName>(operation: Name, fields: InputOf<Name>) =>
        link.call(operation, fields, { signal }),
    };
    return joinTeam({ caller, home, meshId, sessionId: session, teamName: name, claudeSessionId });
  }

  return {
    async createSession(input, signal) {
      const created = await call("create_session", input, signal);
      const { creator_team_name: name } = input;
      keyring.keepFrom(created);
      if (typeof name === "string") {
        const { session_id: sessionId, slug, team_id: credential, cursor: place } = created;
        await take({ teamId: bareId(credential), name: name.trim(), sessionId, slug, credential, place });
      }
      return created;
    },
    async joinSession(input, signal) {
      const { joined, hold } =
        input["team_id"] === undefined
          ? await joinWithoutCredential(input, signal)
          : { joined: await call("join_session", input, signal), hold: undefined };
      keyring.keepFrom(joined);
      await take({ ...toNewTeam(joined), replay: input["replay_from"] !== undefined }, hold);
      return joined;
    },
    async leaveSession(input, team, signal) {
      const left = await call("leave_session", input, signal);
      await teams.leave(team);
      await forgetTeam(home, team.teamId).catch(noteUnsaved);
      return left;
    },
    async rotateCredential(input, team, signal) {
      const rotated = await call("rotate_team_credential", input, signal);
      keyring.keepFrom(rotated);
      team.credential = rotated.team_id;
      teams.subscribe();
      await save(team);
      return rotated;
    },
  };
}

function toNewTeam(joined: OutputOf<"join_session">): NewTeam {
  return {
    teamId: bareId(joined.team_id),
    name: joined.team_name,
    sessionId: joined.session_id,
    slug: joined.slug,
    credential: joined.team_id,
    place: joined.cursor,
    documentVersion: joined.document_version,
  };
}

function toHeldTeam(
  team: Pick<Team, "teamId" | "name" | "sessionId" | "slug" | "credential">,
  meshId: string,
  claudeSessionId: string | null,
): HeldTeam {
  return {
    mesh_id: meshId,
    session_id: team.sessionId,
    slug: team.slug,
    team_id: team.teamId,
    team_name: team.name,
    credential: team.credential,
    claude_session_id: claudeSessionId,
    saved_at: new Date().toISOString(),
  };
}

function bareId(credential: string): string {
  return parseTeamCredential(credential)?.teamId ?? credential;
}
