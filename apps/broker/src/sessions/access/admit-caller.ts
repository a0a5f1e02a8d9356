import { type AccessRule, isSessionOperation, MerkleError } from "@merkle/wire";
import { type Awaitable, whenKnown } from "../../core/awaitable.js";
import type { RawInput } from "../../core/parse-input.js";
import { isConfined, type Principal } from "../../identity/principal.js";
import { noSuchSession, type SessionIdentity } from "../../identity/session-directory.js";
import { type Authenticated, authenticate, type CallClaims } from "./authenticate.js";
import { type AccessRequest, authorize, refuseStranger } from "./authorize.js";
import type { Caller } from "./credentials.js";
import type { AccessServices } from "./services.js";

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
export function identifyCaller(
  services: AccessServices,
  call: CallClaims,
  raw: RawInput,
): Awaitable<Authenticated> {
  refuseStranger(call.operation, call.principal);
  const addressed = isSessionOperation(call.operation) ? findAddressedSession(services, call, raw) : null;
  return whenKnown(addressed, authenticate, services, call, raw);
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
    rate: operation.rate,
  });
  if (caller?.team) services.presence.touch(caller.team.peer);
  return { session, caller };
}

function findAddressedSession(
  services: AccessServices,
  { operation, principal }: CallClaims,
  raw: RawInput,
): Awaitable<SessionIdentity> {
  const ref = raw["session_id"];
  if (typeof ref !== "string" || ref === "") {
    throw new MerkleError("bad_request", `${operation.name} needs session_id: a session's id or slug.`, {
      fields: [{ field: "session_id", problem: "missing" }],
    });
  }
  return whenKnown(services.sessions.find(ref), requireShown, services, ref, principal);
}

function requireShown(
  session: SessionIdentity | null,
  { sessions }: Pick<AccessServices, "sessions">,
  ref: string,
  principal: Principal | null,
): Awaitable<SessionIdentity> {
  const isHidden = isConfined(principal) && principal.sessionId !== session?.sessionId;
  if (session && !isHidden) return session;
  return noSuchSession(sessions, ref, principal).then((error) => {
    throw error;
  });
}
