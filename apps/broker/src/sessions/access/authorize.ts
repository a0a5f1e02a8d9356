import { type AccessRule, MerkleError, type Operation, type OperationRules } from "@merkle/wire";
import { isProgram, type Principal } from "../../identity/principal.js";
import { notByModels, notByPrograms, unauthorized } from "../../identity/refusals.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { Caller, TeamActor } from "./credentials.js";
import { refuseBeyondJob } from "./refuse-beyond-job.js";
import { refuseBeyondTeam } from "./refuse-beyond-team.js";

/** The operation that a caller wants to run, and the caller's identity. */
export interface AccessRequest {
  readonly operation: Omit<AccessRule, "input" | "rate">;
  /** The call's transport. Models use MCP, so some operations for humans are refused there. */
  readonly transport?: "rest" | "mcp" | "websocket" | undefined;
  /** The principal, or null for an unauthenticated client. */
  readonly principal: Principal | null;
  readonly session: SessionIdentity | null;
  /** The team or person that the credential proved, if any. */
  readonly caller: Caller | null;
  /** Whether the call contained a credential, valid or not. */
  readonly hasCredential: boolean;
}

/**
 * Refuses unauthenticated clients before the session is looked up, so that they cannot find out whether a
 * session exists (ERR-2).
 *
 * @throws unauthorized
 */
export function refuseUnauthenticated(
  { name, access }: Pick<Operation, "name" | "access">,
  principal: Principal | null,
): void {
  if (principal || access === "public") return;
  throw new MerkleError(
    "unauthorized",
    "This broker admits only members, and this request has no valid credential. Join with an invite (merkle join -), " +
      "send a member's token in the header Authorization: Bearer (merkle token create), or sign in to the browser with a link (merkle open).",
    { needs: "membership", operation: name },
  );
}

/**
 * Allows or refuses an operation, in the same way for every transport (AUTH-11). Authenticated callers may
 * create, join and read sessions in their mesh. An observer may only read one session. A write on behalf of a
 * team needs the credential of that team or its person.
 *
 * @throws unauthorized before forbidden and session_closed, in the order of ERR-2
 */
export function authorize(request: AccessRequest): void {
  const { operation, principal, session, caller, hasCredential } = request;
  refuseUnauthenticated(operation, principal);
  // Public operations are also allowed for observers, because even an unauthenticated client may use them,
  // for example to redeem an invite.
  if (principal?.kind === "observer" && operation.access !== "public")
    refuseBeyondObserving(operation, principal, session);
  if (principal?.kind === "job" && operation.access !== "public")
    refuseBeyondJob(operation, principal, session);
  if (principal?.kind === "client" && operation.access !== "public") refuseBeyondTeam(operation, session);
  if (hasCredential && !caller) {
    const whose = session
      ? "of a team, a peer or a person in this session"
      : "of a person or a team of this mesh";
    // If a program sends a verified person's credential, the credential is refused even if it is valid, so
    // the error explains why.
    const but = isProgram(principal)
      ? ". A token for programs cannot be used together with a verified person's credential"
      : "";
    throw unauthorized(`This is not the credential ${whose}${but}`);
  }
  if (operation.access === "job" && principal?.kind !== "job") throw agentsOnly(operation.name);
  const isUnnamed = operation.unnamed === true && principal?.kind === "anyone";
  if (operation.access === "team" && !caller && principal?.kind !== "job" && !isUnnamed)
    throw unauthorized("Your team's credential is missing");
  if (session && caller?.person) authorizePerson(operation, session, caller);
  else if (caller?.team?.leftAt && !operation.afterLeaving) {
    throw hasLeft(caller.team);
  }
  requireHuman(request);
  if (operation.access === "admin" && principal?.kind === "member" && principal.role !== "admin") {
    throw adminsOnly(operation.name);
  }
  if (session?.isImported && operation.onlyOriginals) throw onlyACopy(session);
  if (session?.isClosed && operation.afterClosing === "refused") throw sessionClosed(session);
  if (session?.isArchived && !operation.whileArchived) throw sessionArchived(session);
}

/**
 * Builds the error for reading an archived session. Its messages are in the archive, so the feed would look
 * empty (ARCHIVE-5).
 */
export function sessionArchived({ slug }: Pick<SessionIdentity, "slug">): MerkleError {
  return new MerkleError(
    "session_archived",
    `The session "${slug}" is archived. Its document, state, tasks and seal can be read, but not its messages and earlier versions. A verified human can restore them with merkle unarchive ${slug}`,
    { session: slug },
  );
}

export function onlyACopy({ slug }: Pick<SessionIdentity, "slug">): MerkleError {
  return new MerkleError(
    "session_closed",
    `The session "${slug}" is an imported copy, so it can only be read. Change it at the broker that it comes from, or import a later bundle.`,
    { session: slug },
  );
}

/**
 * Limits an observer to reading the one session that the observer's link is for, including later messages.
 */
function refuseBeyondObserving(
  operation: AccessRequest["operation"],
  { sessionId }: Extract<Principal, { kind: "observer" }>,
  session: SessionIdentity | null,
): void {
  const isRead = operation.readOnly && (operation.access === "reader" || operation.access === "open");
  if (isRead && (session?.sessionId === sessionId || (!session && operation.forObservers))) return;
  throw new MerkleError(
    "forbidden",
    "Observers cannot do this: an observer's link only shows one session. Ask a member for an invite to take part.",
    { operation: operation.name },
  );
}

/**
 * Requires a human for operations that lift agents' limits or admit others, and a person for that person's
 * own data (PERSON-11). If no person is needed, a member's key is enough.
 */
function requireHuman({ operation, transport, principal, caller }: AccessRequest): void {
  const { name, human, access } = operation;
  if (operation.notForModels && transport === "mcp") throw notByModels(name);
  if (human === undefined) return;
  if (human !== "person" && transport === "mcp") throw notByModels(name);
  if (human !== "person" && isProgram(principal)) throw notByPrograms(name);
  // A member is vouching for someone, so the team's credential does not matter.
  if (human === "vouching") return;
  if (caller && !caller.person) throw humansOnly(name);
  if (human !== "power") return;
  const isVerified = caller?.person?.verified ?? (access !== "team" && principal?.kind === "member");
  if (!isVerified) throw verifiedOnly(name);
}

/**
 * Returns whether a call is a person's first write in a session, or the first after leaving. Such a write
 * first makes the person a team in the session (PERSON-3).
 */
export function joinsByWriting(
  operation: Pick<OperationRules, "access" | "readOnly" | "notesReading" | "afterLeaving">,
  caller: Caller | null,
): boolean {
  if (!caller?.person || (caller.team && !caller.team.leftAt)) return false;
  // Saving a read position and leaving do not make the person a team.
  const { access, readOnly, notesReading, afterLeaving } = operation;
  return access === "team" && !readOnly && !notesReading && !afterLeaving;
}

function authorizePerson(
  operation: AccessRequest["operation"],
  session: SessionIdentity,
  caller: Extract<Caller, { person: object }>,
): void {
  if (operation.teamCredential === "replaced") {
    throw new MerkleError(
      "forbidden",
      "A person's team has no separate credential to replace: the person's credential is valid for it in every session.",
    );
  }
  // No new team can join a concluded session (SES-11).
  if (joinsByWriting(operation, caller) && session.isClosed) throw sessionClosed(session);
  if (operation.access !== "team" || joinsByWriting(operation, caller) || operation.notesReading) return;
  const { person, team } = caller;
  if (!team) throw notInSession(person.name, session);
  if (team.leftAt && !operation.afterLeaving) throw notInSession(person.name, session);
}

function notInSession(name: string, { slug }: SessionIdentity): MerkleError {
  return new MerkleError(
    "forbidden",
    `${name} has not joined the session "${slug}". You can read its history and follow it without joining. ` +
      "To take part, join it or post a message.",
    { session: slug, next: "join_session" },
  );
}

function humansOnly(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only a human can do this, with a person's credential. Ask your human to do it.",
    { operation },
  );
}

export function verifiedOnly(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only a verified human can do this, and you are a guest: anyone can become a guest here. " +
      "Open the link that merkle up printed, or run merkle open on the broker's machine.",
    { needs: "verification", operation },
  );
}

function agentsOnly(operation: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only the agent of a running job can do this, with the credential of that job.",
    { operation, next: "start_job" },
  );
}

export function membershipEnded(): MerkleError {
  return new MerkleError(
    "unauthorized",
    "Your membership or token has ended. Get a new invite or token to connect again.",
    { needs: "membership" },
  );
}

export function adminsOnly(operation: string): MerkleError {
  return new MerkleError("forbidden", "Only admins of this mesh can do this. Ask one of them.", {
    operation,
    next: "list_members",
  });
}

/**
 * Builds the error for a team or peer that has left. Returned only to callers with the credential of that team
 * or peer.
 */
export function hasLeft({ name, peer }: Pick<TeamActor, "name" | "peer">): MerkleError {
  if (peer.name === null) return unauthorized(`The team "${name}" has left this session`);
  return unauthorized(
    `The peer "${name}/${peer.name}" has left this session, or was removed after a long absence. Join again with its credential`,
  );
}

export function sessionClosed(session: Pick<SessionIdentity, "slug">): MerkleError {
  return new MerkleError(
    "session_closed",
    `The session "${session.slug}" is concluded: its feed and document are read-only. Start a new session to continue.`,
    { session: session.slug },
  );
}
