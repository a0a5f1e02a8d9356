import { type AccessRule, isSessionOperation, MerkleError } from "@merkle/wire";
import type { RawInput } from "../../core/parse-input.js";
import { resolvePersonCaller } from "../../identity/persons/draw-person.js";
import { type ClientPrincipal, isConfined, isProgram, type Principal } from "../../identity/principal.js";
import { noSuchSession, type SessionIdentity } from "../../identity/session-directory.js";
import { type AccessRequest, authorize, refuseUnauthenticated } from "./authorize.js";
import type { Caller } from "./credentials.js";
import type { AccessServices } from "./services.js";

/** The parts of a call that identify the caller. */
export interface CallClaims {
  readonly operation: AccessRule;
  /** The principal behind the call, or null for an unauthenticated client. */
  readonly principal: Principal | null;
  /**
   * A credential sent outside the input, in the header `X-Team-ID`. An argument `team_id` takes precedence.
   */
  readonly credential?: string | undefined;
  /** Describes the person that this write creates for the caller (PERSON-15). */
  readonly newPerson?: RawInput | undefined;
  /** Returns the team credential stored for the connection, if its MCP session has joined this session. */
  readonly findStoredCredential?: ((sessionId: string) => string | undefined) | undefined;
  /**
   * Returns the stored credential for a call that addresses no session. Undefined unless the MCP session has
   * joined exactly one session.
   */
  readonly findOnlyStoredCredential?: (() => string | undefined) | undefined;
  /** The call's connection, if it carries only one client's calls. */
  readonly connection?: object | undefined;
}

/** The addressed session and the caller, before authorisation. */
export interface AuthenticatedCall {
  readonly session: SessionIdentity | null;
  /** The team or person that the credential belongs to. Null if there is no valid credential. */
  readonly caller: Caller | null;
  readonly credential: string | undefined;
}

/** A caller that passed authentication, authorisation and rate limits. */
export interface AdmittedCaller {
  readonly session: SessionIdentity | null;
  readonly caller: Caller | null;
}

/**
 * Admits a call or a frame: finds the session, authenticates the caller, authorises the operation and applies the rate
 * limits. Every call and every other frame goes through this function (AUTH-12).
 *
 * @throws not_found, unauthorized, forbidden, session_closed, too_many_requests
 */
export async function admitCaller(
  services: AccessServices,
  call: CallClaims,
  raw: RawInput,
): Promise<AdmittedCaller> {
  return authorizeCaller(services, call, await identifyCaller(services, call, raw));
}

/** Finds the session and authenticates the caller. This is the first half of `admitCaller`. */
export async function identifyCaller(
  services: AccessServices,
  call: CallClaims,
  raw: RawInput,
): Promise<AuthenticatedCall> {
  refuseUnauthenticated(call.operation, call.principal);
  const session = isSessionOperation(call.operation) ? await findAddressedSession(services, call, raw) : null;
  const authenticated = await authenticate(session, services, call, raw);
  return call.newPerson === undefined
    ? authenticated
    : takeNewPerson(authenticated, services, call, call.newPerson);
}

/**
 * Prepares a call's new person, unless the credential already identifies an existing caller, as in a retry.
 */
async function takeNewPerson(
  authenticated: AuthenticatedCall,
  services: AccessServices,
  { operation, principal }: CallClaims,
  given: RawInput,
): Promise<AuthenticatedCall> {
  const { caller, credential } = authenticated;
  if (caller || credential === undefined || operation.readOnly) return authenticated;
  const person = await resolvePersonCaller(services, { principal, credential, given });
  return person ? { ...authenticated, caller: { person, team: null } } : authenticated;
}

/** Authorises the operation and applies the rate limits. This is the second half of `admitCaller`. */
export function authorizeCaller(
  services: Pick<AccessServices, "limiter" | "presence">,
  {
    operation,
    transport,
    principal,
  }: Pick<AccessRequest, "transport" | "principal"> & { readonly operation: AccessRule },
  { session, caller, credential }: AuthenticatedCall,
): AdmittedCaller {
  authorize({ operation, transport, principal, session, caller, hasCredential: credential !== undefined });
  services.limiter.admitCall({
    principal,
    sessionId: session?.sessionId ?? null,
    rate: caller?.person?.pending ? "create" : operation.rate,
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
 * Authenticates the caller by the first credential found in the argument, in the header or stored for the
 * connection (AUTH-2, MCP-2). In invite mode, a credential is valid only if its owner sends it (ENTER-5).
 */
async function authenticate(
  session: SessionIdentity | null,
  services: Pick<AccessServices, "credentials">,
  call: CallClaims,
  raw: RawInput,
): Promise<AuthenticatedCall> {
  const { credentials } = services;
  const { principal, connection } = call;
  if (principal?.kind === "client") return authenticateClient(session, services, principal);
  const argument = raw["team_id"];
  // A `team_id` that is not a string counts as an invalid credential.
  const given = argument === undefined ? call.credential : typeof argument === "string" ? argument : "";
  if (!session) return authenticateInMesh(services, call, given, argument !== undefined);
  if (given !== undefined) {
    const caller = await credentials.verify(session.sessionId, given, connection);
    return toAuthenticated(caller, principal, session, given);
  }
  const storedCredential = call.findStoredCredential?.(session.sessionId);
  if (storedCredential === undefined) return toUnauthenticated(session);
  const caller = await credentials.verify(session.sessionId, storedCredential);
  return caller && canUseStoredCredential(call.operation, caller, raw)
    ? toAuthenticated(caller, principal, session, storedCredential)
    : toUnauthenticated(session);
}

function toAuthenticated(
  caller: Caller | null,
  principal: Principal | null,
  session: SessionIdentity | null,
  credential: string,
): AuthenticatedCall {
  return { session, caller: caller && isOwn(caller, principal) ? caller : null, credential };
}

/**
 * Authenticates an OAuth client. The client's token identifies its team, and any other credential is ignored
 * (OAUTH-6).
 */
async function authenticateClient(
  session: SessionIdentity | null,
  { credentials }: Pick<AccessServices, "credentials">,
  { teamId }: ClientPrincipal,
): Promise<AuthenticatedCall> {
  if (!session) return toUnauthenticated(null);
  const caller = await credentials.findTeam(session.sessionId, teamId);
  return { session, caller, credential: undefined };
}

/** Returns the authentication result for a call without a valid credential. */
function toUnauthenticated(session: SessionIdentity | null): AuthenticatedCall {
  return { session, caller: null, credential: undefined };
}

function isOwn({ person, team }: Caller, principal: Principal | null): boolean {
  if (principal?.kind === "anyone") return true;
  // A program never acts as a verified human, whichever credential it sends.
  if (person?.verified && isProgram(principal)) return false;
  const owner = person ? person.memberId : (team?.memberId ?? null);
  return principal?.kind === "member" && (owner === null || owner === principal.memberId);
}

/**
 * Authenticates a call that addresses no session. A credential is used only if the operation has a `team_id`
 * input.
 */
async function authenticateInMesh(
  { credentials }: Pick<AccessServices, "credentials">,
  { operation, principal, findOnlyStoredCredential }: CallClaims,
  given: string | undefined,
  isArgument: boolean,
): Promise<AuthenticatedCall> {
  const needsCredential = operation.access === "team";
  const canUseCredential = needsCredential || operation.dependsOnCaller === true;
  const storedCredential = given === undefined && canUseCredential ? findOnlyStoredCredential?.() : undefined;
  const credential = given ?? storedCredential;
  if (credential === undefined || !("team_id" in operation.input.shape)) return toUnauthenticated(null);
  const caller = await credentials.verifyInMesh(credential);
  // The stored credential was replaced or ended elsewhere, so the call is treated as having no credential.
  if (!caller && storedCredential !== undefined) return toUnauthenticated(null);
  if (!caller?.team) return toAuthenticated(caller, principal, null, credential);
  // A team belongs to its session and cannot create another. If the credential came in the header, it is ignored instead of
  // refused, because clients may send the header with every call.
  const isForTeams = operation.access !== "open";
  if (!isArgument && (!isForTeams || (caller.team.leftAt && !needsCredential)))
    return toUnauthenticated(null);
  return toAuthenticated(isForTeams ? caller : null, principal, null, credential);
}

/**
 * Returns whether the stored credential applies to a call. If an MCP session joins again under the same
 * names, it resumes its team. Under another team or peer name, it joins as a new team. A team that has left
 * counts as unauthenticated, unless it repeats its leave call. A person stays the same person.
 */
function canUseStoredCredential(
  { teamCredential, afterLeaving }: Pick<AccessRule, "teamCredential" | "afterLeaving">,
  { person, team }: Caller,
  raw: RawInput,
): boolean {
  if (!team) return true;
  if (teamCredential !== "given") return person !== null || !team.leftAt || afterLeaving === true;
  const wanted = raw["team_name"];
  if (!isSameName(wanted, team.name)) return false;
  // A team's own credential can also be used to add a peer to the team.
  const peerName = raw["peer_name"];
  return team.peer.name === null || peerName === undefined || isSameName(peerName, team.peer.name);
}

function isSameName(wanted: unknown, name: string): boolean {
  return typeof wanted === "string" && wanted.trim().toLowerCase() === name.toLowerCase();
}
