import {
  canOmitSession,
  chooseSessions,
  isUuid,
  MerkleError,
  type Operation,
  parseTeamCredential,
} from "@merkle/wire";
import type { JsonFields } from "../core/is-object.js";
import { findProject } from "../sessions/find-project.js";
import { readEnvironment } from "../settings/config.js";
import type { PeerSession, PeerSessions } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";

interface InputContext {
  readonly operation: Operation;
  readonly fields: JsonFields;
  /** The reason why this server could not join its session, or null. */
  readonly refusal: MerkleError | null;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
}

interface CompletedInput {
  readonly input: JsonFields;
  /** The peer on whose behalf the call is made, if this server acts as that peer. */
  readonly team: PeerSession | undefined;
  /**
   * One peer per joined session. Set if the call names no session and several sessions are joined, so that
   * the call reads all of them.
   */
  readonly everyTeam?: readonly PeerSession[];
  /** A line that tells the model that an input was ignored. */
  readonly notice?: string;
}

/**
 * Fills in the session and the credential that the model left out: the only joined session (MCP-19) and the
 * peer's credential (STDIO-3). Replaces the bare uuid of a team or person with the credential that this
 * server has for it. Passes all other fields through.
 */
export function completeInput(context: InputContext): CompletedInput {
  const { operation, fields, secretStore } = context;
  if (!("team_id" in operation.input.shape) || !isUnusable(fields["team_id"], secretStore))
    return complete(context);
  const { team_id: _unused, ...rest } = fields;
  return {
    ...complete({ ...context, fields: rest }),
    notice: "team_id was ignored: this server knows who you are. Leave it out.",
  };
}

/**
 * Returns whether `team_id` cannot authenticate the call: it is a name, or a uuid for which this server has
 * no credential.
 */
function isUnusable(given: unknown, secretStore: SecretStore): boolean {
  if (given === undefined) return false;
  if (typeof given !== "string") return true;
  return secretStore.find(given) === undefined && parseTeamCredential(given) === null;
}

function complete({ operation, fields, refusal, teams, secretStore }: InputContext): CompletedInput {
  if (!("team_id" in operation.input.shape)) return { input: fields, team: undefined };
  const { team_id: named } = fields;
  const storedCredential = typeof named === "string" && isUuid(named) ? secretStore.find(named) : undefined;
  const chosen = storedCredential === undefined ? undefined : teams.find(String(named));
  const credential = storedCredential === undefined ? {} : { team_id: storedCredential };
  if (!canOmitSession(operation)) {
    const needsCaller = operation.access === "team" || operation.dependsOnCaller === true;
    const own = named === undefined && needsCaller ? teams.findLast() : undefined;
    // If an agent was started as one peer and cannot join that peer's session, it must not act as a different
    // peer instead.
    if (named === undefined && !own && operation.unnamed && refusal) throw refusal;
    const asOwn = own && { team_id: own.credential };
    return { input: { ...fields, ...credential, ...asOwn }, team: chosen ?? own };
  }

  const session = fields["session_id"] ?? chosen?.sessionId;
  if (session !== undefined && typeof session !== "string") return { input: fields, team: undefined };
  const joined = session === undefined ? chooseSessions(operation, teams.readers()) : [];
  if (joined.length > 1 && named === undefined) return { input: fields, team: undefined, everyTeam: joined };
  const team = named === undefined ? (joined[0] ?? findTeam(teams, operation, session)) : chosen;
  const session_id = session ?? team?.sessionId ?? joined[0]?.sessionId ?? teams.findLast()?.sessionId;
  if (session_id === undefined) throw refusal ?? noSession();
  return {
    input: {
      ...fields,
      session_id,
      ...(team && named === undefined ? { team_id: team.credential } : credential),
    },
    team,
  };
}

function findTeam(
  teams: PeerSessions,
  { afterLeaving }: Operation,
  session: string | undefined,
): PeerSession | undefined {
  const last = teams.findLast(session);
  return last ?? (afterLeaving ? teams.findLeft(session) : undefined);
}

function noSession(): MerkleError {
  return new MerkleError(
    "bad_request",
    "You have not joined a session yet. Join one first, or pass session_id.",
    { next: "join_session" },
  );
}

/**
 * Fills in this server's project if the operation takes a `projectId` and the call does not contain one
 * (PROGRESS-10).
 */
export async function fillProject({ input }: Operation, fields: JsonFields): Promise<JsonFields> {
  if (!("projectId" in input.shape) || fields["projectId"] !== undefined) return fields;
  const projectId = await findProject(readEnvironment().projectFolder);
  return projectId === null ? fields : { ...fields, projectId };
}
