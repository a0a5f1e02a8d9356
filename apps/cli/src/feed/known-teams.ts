import type { Session } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { neutralise } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import type { CommandContext } from "../command/command.js";
import type { Output } from "../command/output.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { findPerson } from "../home/persons.js";
import { listStoredPeers } from "../home/stored-peers.js";
import { getSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";
import type { AuthorStyle } from "./format-message.js";

interface KnownTeamsOptions {
  readonly client: Pick<MerkleClient, "call">;
  readonly session: Session;
  readonly config: Pick<Config, "home" | "session" | "team" | "agentShell">;
  readonly output: Pick<Output, "teamColour">;
}

/** Timeout for reading the roster. Short, so that messages are not delayed for long. */
const rosterTimeoutMs = 5_000;

/**
 * Creates a cache of how a session's teams are displayed. Reads the roster again when an unknown team posts a
 * message.
 */
export function createKnownTeams({ client, session, config, output }: KnownTeamsOptions): {
  find(teamId: string | null): Promise<AuthorStyle>;
} {
  const known = new Map<string, AuthorStyle>();
  const unknownAuthor: AuthorStyle = { isOwn: false, colour: String };

  async function readRoster(): Promise<void> {
    const options = { timeoutMs: rosterTimeoutMs };
    const [{ mesh_id: meshId }, { participants }] = await Promise.all([
      client.call("get_app_info", {}, options),
      client.call("list_participants", { session_id: session.session_id, include_folded: true }, options),
    ]);
    const isOwn = await createOwnTeamCheck(meshId);
    for (const [index, team] of participants.entries()) {
      known.set(team.team_id, { isOwn: isOwn(team), colour: output.teamColour(index) });
    }
  }

  /**
   * Finds the reader's own team: in an agent's shell the agent's team, otherwise the team of this home's
   * person.
   */
  async function createOwnTeamCheck(
    meshId: string,
  ): Promise<(team: { team_id: string; person_id: string | null }) => boolean> {
    if (config.session !== undefined && config.team !== undefined) {
      const storedPeer = (await listStoredPeers(config.home, meshId)).find(
        (each) => each.session_id === session.session_id && each.team_name === config.team,
      );
      return (team) => team.team_id === storedPeer?.team_id;
    }
    const person = await findPerson(config, meshId);
    return (team) => team.person_id !== null && team.person_id === person?.person_id;
  }

  return {
    async find(teamId) {
      if (teamId === null) return unknownAuthor;
      // If the roster cannot be read, show the message with the team name that it contains. The next message
      // tries again.
      if (!known.has(teamId)) await readRoster().catch(() => undefined);
      return known.get(teamId) ?? unknownAuthor;
    },
  };
}

/**
 * Returns the named session. By default, returns the session in `MERKLE_SESSION` or, without one, the open
 * session with the newest activity, and prints that session's name.
 *
 * @throws CliError `not_found` with advice if no session is open
 */
export async function findTailedSession(
  broker: Pick<BrokerClient, "call">,
  { args: [named], config, output }: Pick<CommandContext, "args" | "config" | "output">,
): Promise<Session> {
  if (named !== undefined || config.session !== undefined) return getSession(broker, named, config);
  const { sessions } = await broker.call("list_sessions", { status: "open", limit: 1 });
  const [session] = sessions;
  if (!session) {
    throw new CliError("not_found", "No session is open.", {
      exitCode: exitCodes.not_found,
      next: ["merkle new <title>", "merkle demo"],
    });
  }
  output.note(`${session.slug}: ${neutralise(session.title)}`);
  return session;
}
