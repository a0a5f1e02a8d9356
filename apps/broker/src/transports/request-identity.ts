import { createHash } from "node:crypto";
import { type Operation, parseTeamCredential } from "@merkle/wire";
import type { RequestIdentity } from "../core/write.js";
import type { PersonActor } from "../identity/credential.js";
import type { Principal } from "../identity/principal.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import type { TeamActor } from "../sessions/access/credentials.js";

interface Who {
  readonly principal: Principal | null;
  readonly team: Pick<TeamActor, "teamId" | "credential"> | null;
  readonly person: Pick<PersonActor, "personId"> | null;
}

/**
 * Returns the identity by which a request is recognised when it comes again, however its session is named and whichever
 * credential of the caller it carries.
 */
export function identify(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  session: SessionIdentity | null,
  who: Who,
): RequestIdentity {
  const { team_id: _credential, idempotency_key, ...fields } = input;
  const caller = nameCaller(operation, who);
  return {
    operation: operation.name,
    caller,
    idempotencyKey: typeof idempotency_key === "string" ? idempotency_key : undefined,
    input: session ? { ...fields, session_id: session.sessionId } : fields,
  };
}

function nameCaller({ teamCredential }: Operation, { principal, team, person }: Who): string | null {
  // A rotation ends the credential that asked for it, so it is repeated under that credential's own name (IDEM-9).
  if (team && teamCredential === "replaced") return fingerprint(team.credential);
  // Joining makes a person's team, so its repetition would come from another caller.
  if (person && teamCredential === "given") return person.personId;
  if (person) return team?.teamId ?? person.personId;
  // A team and each of its named peers ask on their own, by the uuid of their credential.
  const own = team && parseTeamCredential(team.credential)?.teamId;
  if (own != null) return own;
  // A job may be asked for twice, and both agents draw the same key.
  if (principal?.kind === "job") return `job ${principal.job}`;
  if (principal?.kind === "client") return principal.teamId;
  // A key of one member's is no other member's key, also where they ask for the same without a team.
  return principal?.kind === "member" ? principal.memberId : null;
}

function fingerprint(credential: string): string {
  return createHash("sha256").update(credential).digest("hex");
}
