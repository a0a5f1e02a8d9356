import { type AccessRule, isSessionOperation, MerkleError } from "@merkle/wire";
import type { RawInput } from "../../core/parse-input.js";
import { drawPerson } from "../../identity/persons/draw-person.js";
import { type ClientPrincipal, isConfined, isProgram, type Principal } from "../../identity/principal.js";
import { noSuchSession, type SessionIdentity } from "../../identity/session-directory.js";
import { type AccessRequest, authorize, refuseStranger } from "./authorize.js";
import type { Caller } from "./credentials.js";
import type { AccessServices } from "./services.js";

/** The parts of a call that say who calls. */
export interface CallClaims {
  readonly operation: AccessRule;
  /** The principal that calls. */
  readonly principal: Principal | null;
  /** A credential that came beside the input: the header `X-Team-ID`. The argument `team_id` goes before it. */
  readonly credential?: string | undefined;
  /** The person that calls, where its write is to make it (PERSON-15). */
  readonly newPerson?: RawInput | undefined;
  /** The credential that the connection itself remembers: that of the team that an MCP session joined as. */
  readonly remembered?: ((sessionId: string) => string | undefined) | undefined;
  /** That credential where no session is addressed, when it has joined one session only. */
  readonly rememberedAlone?: (() => string | undefined) | undefined;
  /** The connection over which it came, if it carries one client's calls alone. */
  readonly connection?: object | undefined;
}

/** Which session is meant, and who calls; whether they may is not decided yet. */
export interface Authenticated {
  readonly session: SessionIdentity | null;
  /** The team or person that the credential proves; null without one, and for one that proves nobody. */
  readonly caller: Caller | null;
  readonly credential: string | undefined;
}

/** A caller that was admitted. */
export interface AdmittedCaller {
  readonly session: SessionIdentity | null;
  readonly caller: Caller | null;
}

/**
 * The one way in, of every call and of every frame that is none (AUTH-12): which session, who, may they, not too often.
 *
 * @throws not_found, unauthorized, forbidden, session_closed, too_many_requests
 */
export async function admitCaller(
  services: AccessServices,
  call: CallClaims,
  raw: RawInput,
): Promise<AdmittedCaller> {
  return letIn(services, call, await identifyCaller(services, call, raw));
}

/** The first half of `admitCaller`. */
export async function identifyCaller(
  services: AccessServices,
  call: CallClaims,
  raw: RawInput,
): Promise<Authenticated> {
  refuseStranger(call.operation, call.principal);
  const session = isSessionOperation(call.operation) ? await findAddressedSession(services, call, raw) : null;
  const found = await authenticate(session, services, call, raw);
  return call.newPerson === undefined ? found : takeNewPerson(found, services, call, call.newPerson);
}

/** Who is known under that credential already is that, as where a request comes again. */
async function takeNewPerson(
  found: Authenticated,
  services: AccessServices,
  { operation, principal }: CallClaims,
  given: RawInput,
): Promise<Authenticated> {
  const { caller, credential } = found;
  if (caller || credential === undefined || operation.readOnly) return found;
  const person = await drawPerson(services, { principal, credential, given });
  return person ? { ...found, caller: { person, team: null } } : found;
}

/** The second half of `admitCaller`. */
export function letIn(
  services: Pick<AccessServices, "limiter" | "presence">,
  {
    operation,
    transport,
    principal,
  }: Pick<AccessRequest, "transport" | "principal"> & { readonly operation: AccessRule },
  { session, caller, credential }: Authenticated,
): AdmittedCaller {
  authorize({ operation, transport, principal, session, caller, credentialGiven: credential !== undefined });
  services.limiter.admitCall({
    principal,
    sessionId: session?.sessionId ?? null,
    rate: caller?.person?.drawn ? "create" : operation.rate,
  });
  if (caller?.team) services.presence.touch(caller.team.peer);
  return { session, caller };
}

async function findAddressedSession(
  { sessions }: Pick<AccessServices, "sessions">,
  { principal }: CallClaims,
  raw: RawInput,
): Promise<SessionIdentity> {
  const ref = raw["session_id"];
  if (typeof ref !== "string" || ref === "") {
    throw new MerkleError("bad_request", "session_id is missing: expected a session's id or slug.", {
      fields: [{ field: "session_id", problem: "missing" }],
    });
  }
  const session = await sessions.find(ref);
  const isHidden = isConfined(principal) && principal.sessionId !== session?.sessionId;
  if (!session || isHidden) throw await noSuchSession(sessions, ref, principal);
  return session;
}

/**
 * Argument before header before what the connection remembers (AUTH-2, MCP-2). In invite mode a credential is worth nothing
 * in the hands of another member than the one whose team or person it is (ENTER-5).
 */
async function authenticate(
  session: SessionIdentity | null,
  services: Pick<AccessServices, "credentials">,
  call: CallClaims,
  raw: RawInput,
): Promise<Authenticated> {
  const { credentials } = services;
  const { principal, connection } = call;
  if (principal?.kind === "client") return authenticateClient(session, services, principal);
  const argument = raw["team_id"];
  // A `team_id` that is no text is a credential that proves nothing.
  const given = argument === undefined ? call.credential : typeof argument === "string" ? argument : "";
  if (!session) return authenticateInMesh(services, call, given, argument !== undefined);
  if (given !== undefined) {
    const caller = await credentials.verify(session.sessionId, given, connection);
    return toAuthenticated(caller, principal, session, given);
  }
  const remembered = call.remembered?.(session.sessionId);
  if (remembered === undefined) return toNobody(session);
  const caller = await credentials.verify(session.sessionId, remembered);
  return caller && usesRemembered(call.operation, caller, raw)
    ? toAuthenticated(caller, principal, session, remembered)
    : toNobody(session);
}

function toAuthenticated(
  caller: Caller | null,
  principal: Principal | null,
  session: SessionIdentity | null,
  credential: string,
): Authenticated {
  return { session, caller: caller && isOwn(caller, principal) ? caller : null, credential };
}

/** A client is its team by its token, whatever credential it gives beside that (OAUTH-6). */
async function authenticateClient(
  session: SessionIdentity | null,
  { credentials }: Pick<AccessServices, "credentials">,
  { teamId }: ClientPrincipal,
): Promise<Authenticated> {
  if (!session) return toNobody(null);
  const caller = await credentials.findTeam(session.sessionId, teamId);
  return { session, caller, credential: undefined };
}

/** Nobody gave a credential. */
function toNobody(session: SessionIdentity | null): Authenticated {
  return { session, caller: null, credential: undefined };
}

function isOwn({ person, team }: Caller, principal: Principal | null): boolean {
  if (principal?.kind === "anyone") return true;
  // A program never speaks for a human, whatever credential it holds.
  if (person?.verified && isProgram(principal)) return false;
  const owner = person ? person.memberId : (team?.memberId ?? null);
  return principal?.kind === "member" && (owner === null || owner === principal.memberId);
}

/** Where no session is addressed, a credential counts for the operations that name it among their inputs. */
async function authenticateInMesh(
  { credentials }: Pick<AccessServices, "credentials">,
  { operation, principal, rememberedAlone }: CallClaims,
  given: string | undefined,
  isArgument: boolean,
): Promise<Authenticated> {
  const needsOne = operation.access === "team";
  const wantsOne = needsOne || operation.asksWhoCalls === true;
  const remembered = given === undefined && wantsOne ? rememberedAlone?.() : undefined;
  const credential = given ?? remembered;
  if (credential === undefined || !("team_id" in operation.input.shape)) return toNobody(null);
  const caller = await credentials.verifyInMesh(credential);
  // One that was replaced or has ended elsewhere meanwhile: the caller gave none.
  if (!caller && remembered !== undefined) return toNobody(null);
  if (!caller?.team) return toAuthenticated(caller, principal, null, credential);
  // A team belongs to its session: it cannot make another. In a header it may just stand there for all calls.
  const concernsTeams = operation.access !== "open";
  if (!isArgument && (!concernsTeams || (caller.team.leftAt && !needsOne))) return toNobody(null);
  return toAuthenticated(concernsTeams ? caller : null, principal, null, credential);
}

/**
 * An MCP session that joins again under its own name gets its place back; under another name, its peer's included, it is
 * somebody new. A team that has left is nobody there, except to repeat its leaving; a person is the same person still.
 */
function usesRemembered(
  { teamCredential, afterLeaving }: Pick<AccessRule, "teamCredential" | "afterLeaving">,
  { person, team }: Caller,
  raw: RawInput,
): boolean {
  if (!team) return true;
  if (teamCredential !== "given") return person !== null || !team.leftAt || afterLeaving === true;
  const wanted = raw["team_name"];
  if (!isSameName(wanted, team.name)) return false;
  // A team's own credential is also what adds a peer to it.
  const peerName = raw["peer_name"];
  return team.peer.name === null || peerName === undefined || isSameName(peerName, team.peer.name);
}

function isSameName(wanted: unknown, name: string): boolean {
  return typeof wanted === "string" && wanted.trim().toLowerCase() === name.toLowerCase();
}
