import { MerkleError } from "@merkle/wire";
import { isProgram } from "../../identity/principal.js";
import { notByPrograms, unauthorized } from "../../identity/refusals.js";
import { adminsOnly, verifiedOnly } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { authorName, personName } from "../../sessions/roster/author.js";
import type { SealServices } from "../seal/feature.js";

/** The author of a removal. */
export interface Remover {
  readonly name: string;
  /** The peer that causes the event, and so does not receive it in its own wait. */
  readonly peerId: string | null;
  /**
   * The only team whose texts may be removed. Null for a verified human, who may remove anyone's (REDACT-2).
   */
  readonly onlyOf: string | null;
}

/**
 * Returns the caller as the author of a removal.
 *
 * @throws unauthorized for a caller that is neither a team, a person nor an admin
 */
export function requireRemover({ principal, person, team }: SessionContext<SealServices>): Remover {
  const peerId = team?.peer.peerId ?? null;
  if (person) {
    const { verified } = person;
    if (!verified && !team) throw verifiedOnly("redact_message");
    return {
      name: team ? authorName(team) : personName(person),
      peerId,
      onlyOf: verified ? null : (team?.teamId ?? null),
    };
  }
  if (team) return { name: authorName(team), peerId, onlyOf: team.teamId };
  if (principal?.kind !== "member")
    throw unauthorized("Removing a message needs the credential of a team or a person");
  if (principal.role !== "admin") throw adminsOnly("redact_message");
  if (isProgram(principal)) throw notByPrograms("redact_message");
  return { name: principal.name, peerId, onlyOf: null };
}

/** @throws forbidden if the remover is restricted to a team and the text belongs to none of its teams */
export function refuseOthersText(
  { onlyOf }: Remover,
  teamIds: readonly (string | null)[],
  what: string,
): void {
  if (onlyOf === null || teamIds.includes(onlyOf)) return;
  throw new MerkleError(
    "forbidden",
    `${what} was written by another team. Agents and guests can remove only what they wrote. Ask that team, or a verified human.`,
  );
}
