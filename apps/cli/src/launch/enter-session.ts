import { MerkleError } from "@merkle/wire";
import type { BrokerClient } from "../broker-client.js";
import { saveTeam } from "../teams/held-teams.js";
import { type JoinedTeam, joinTeam } from "../teams/join-team.js";
import { toHeldTeam } from "../teams/to-held-team.js";
import type { ChosenSession } from "./choose-session.js";

export interface EnterSession {
  readonly broker: BrokerClient;
  readonly home: string;
  readonly meshId: string;
  readonly teamName: string;
}

export interface EnteredSession extends JoinedTeam {
  /** Whether the session was made for this. */
  readonly created: boolean;
}

/**
 * Joins the chosen session, and makes it first when it is not there. Of several that make the same one at a moment, one
 * does and the others join it (LAUNCH-2).
 */
export async function enterSession(chosen: ChosenSession, how: EnterSession): Promise<EnteredSession> {
  if (chosen.kind === "there") return { ...(await join(chosen.session.session_id, how)), created: false };
  const sessionId = await createSession(chosen, how);
  return { ...(await join(sessionId ?? chosen.slug, how)), created: sessionId !== undefined };
}

function join(sessionId: string, { broker, home, meshId, teamName }: EnterSession): Promise<JoinedTeam> {
  return joinTeam({ caller: broker, home, meshId, sessionId, teamName, claudeSessionId: null });
}

/** Makes the session, with the team as its convener, which is held from then on; undefined when somebody else was first. */
async function createSession(
  { slug, title }: Extract<ChosenSession, { kind: "new" }>,
  { broker, home, meshId, teamName }: EnterSession,
): Promise<string | undefined> {
  const created = await broker
    .call("create_session", { title, slug, creator_team_name: teamName })
    .catch((error: unknown) => {
      if (error instanceof MerkleError && error.code === "conflict") return undefined;
      throw error;
    });
  if (!created) return undefined;
  const given = { ...created, team_name: teamName };
  await saveTeam(home, toHeldTeam(given, { meshId, claudeSessionId: null }));
  return created.session_id;
}
