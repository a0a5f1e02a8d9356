import { type Operation, parseTeamCredential } from "@merkle/wire";
import { sha256 } from "../core/sha256.js";
import type { RequestIdentity } from "../core/write.js";
import type { PersonActor } from "../identity/credential.js";
import type { Principal } from "../identity/principal.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import type { TeamActor } from "../sessions/access/credentials.js";

interface Requester {
  readonly principal: Principal | null;
  readonly team: Pick<TeamActor, "teamId" | "credential"> | null;
  readonly person: Pick<PersonActor, "personId"> | null;
}

/**
 * Returns the identity by which a retried request is recognised. The identity does not depend on how the
 * session is named, or on which of several credentials the caller uses.
 */
export function identify(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  session: SessionIdentity | null,
  requester: Requester,
): RequestIdentity {
  const { team_id: _credential, idempotency_key, ...fields } = input;
  const caller = nameCaller(operation, requester);
  return {
    operation: operation.name,
    caller,
    idempotencyKey: typeof idempotency_key === "string" ? idempotency_key : undefined,
    input: session ? { ...fields, session_id: session.sessionId } : fields,
  };
}

function nameCaller({ teamCredential }: Operation, { principal, team, person }: Requester): string | null {
  // A rotation ends the credential that requested it, so that credential itself identifies a retry
  // (IDEM-9).
  if (team && teamCredential === "replaced") return fingerprint(team.credential);
  // The call that joins creates the person's team, so a retry would otherwise seem to come from a
  // different caller.
  if (person && teamCredential === "given") return person.personId;
  if (person) return team?.teamId ?? person.personId;
  // A team and each of its named peers are separate callers, identified by the uuid of the credential that
  // they use.
  const own = team && parseTeamCredential(team.credential)?.teamId;
  if (own != null) return own;
  // Two jobs may request the same work, and their agents then generate the same key.
  if (principal?.kind === "job") return `job ${principal.job}`;
  if (principal?.kind === "client") return principal.teamId;
  // One member's key must not match another's, even if neither has a team.
  return principal?.kind === "member" ? principal.memberId : null;
}

function fingerprint(credential: string): string {
  return sha256(credential, "hex");
}
