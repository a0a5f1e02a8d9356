import type { Operation } from "@merkle/wire";
import type { Services } from "../context.js";
import type { RawInput } from "../parse-input.js";
import type { SessionIdentity } from "../sessions/directory.js";
import type { Caller } from "./credentials.js";

/** What a call says of who calls. */
export interface CallersWord {
  readonly operation: Operation;
  /** A credential that came beside the input: the header `X-Team-ID`. The argument `team_id` goes before it. */
  readonly credential?: string | undefined;
  /** What the connection itself remembers: the credential of the team that an MCP session joined as. */
  readonly remembered?: ((sessionId: string) => string | undefined) | undefined;
}

export interface Authenticated {
  /** Whom the credential proves; null without one, and for one that proves nobody. */
  readonly caller: Caller | null;
  readonly credential: string | undefined;
}

/** Argument before header before what the connection remembers (AUTH-2, MCP-2). */
export async function authenticate(
  services: Pick<Services, "credentials">,
  call: CallersWord,
  raw: RawInput,
  session: SessionIdentity | null,
): Promise<Authenticated> {
  const { credentials } = services;
  const argument = raw["team_id"];
  // What is no text is a credential that proves nothing.
  const given = argument === undefined ? call.credential : typeof argument === "string" ? argument : "";
  if (!session) return authenticateInMesh(services, call.operation, given, argument !== undefined);
  if (given !== undefined)
    return { caller: await credentials.verify(session.sessionId, given), credential: given };
  const remembered = call.remembered?.(session.sessionId);
  const caller = remembered === undefined ? null : await credentials.verify(session.sessionId, remembered);
  return caller && usesRemembered(call.operation, caller, raw)
    ? { caller, credential: remembered }
    : { caller: null, credential: undefined };
}

const nobody: Authenticated = { caller: null, credential: undefined };

/** Where no session is addressed, a credential counts for the operations that name it among their inputs. */
async function authenticateInMesh(
  { credentials }: Pick<Services, "credentials">,
  operation: Operation,
  given: string | undefined,
  isArgument: boolean,
): Promise<Authenticated> {
  if (given === undefined || !("team_id" in operation.input.shape)) return nobody;
  const caller = await credentials.verifyInMesh(given);
  if (!caller?.team) return { caller, credential: given };
  // A team belongs to its session: it cannot make another. In a header it may just stand there for all calls.
  const concernsTeams = operation.access !== "open";
  if (!isArgument && (!concernsTeams || caller.team.leftAt)) return nobody;
  return { caller: concernsTeams ? caller : null, credential: given };
}

/**
 * An MCP session that joins again under its own name gets its place back; under another name it is somebody new. A team
 * that has left is nobody there, except to repeat its leaving; a person is the same person still.
 */
function usesRemembered({ name }: Operation, { person, team }: Caller, raw: RawInput): boolean {
  if (!team) return true;
  if (name !== "join_session") return person !== null || !team.leftAt || name === "leave_session";
  const wanted = raw["team_name"];
  return typeof wanted === "string" && wanted.trim().toLowerCase() === team.name.toLowerCase();
}
