import { MerkleError } from "@merkle/wire";
import { isProgram } from "../../identity/principal.js";
import { notByPrograms, unauthorized } from "../../identity/refusals.js";
import { adminsOnly, verifiedOnly } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { formatAuthorName, formatPersonName } from "../../sessions/roster/author.js";
import type { SealServices } from "../seal/feature.js";

/** The caller that redacts text. */
export interface Remover {
  readonly name: string;
  /** The peer that causes the redaction event. Its own wait does not return the event. */
  readonly peerId: string | null;
  /**
   * The only team whose text this caller may redact. Null for a verified human, who may redact anyone's text
   * (REDACT-2).
   */
  readonly onlyTeamId: string | null;
}

/**
 * Returns the caller in the form needed to redact text.
 *
 * @throws unauthorized for a caller that is neither a team, a person nor an admin
 */
export function requireRemover({ principal, person, team }: SessionContext<SealServices>): Remover {
  const peerId = team?.peer.peerId ?? null;
  if (person) {
    const { verified } = person;
    if (!verified && !team) throw verifiedOnly("redact_message");
    return {
      name: team ? formatAuthorName(team) : formatPersonName(person),
      peerId,
      onlyTeamId: verified ? null : (team?.teamId ?? null),
    };
  }
  if (team) return { name: formatAuthorName(team), peerId, onlyTeamId: team.teamId };
  if (principal?.kind !== "member")
    throw unauthorized("Removing a message needs the credential of a team or a person");
  if (principal.role !== "admin") throw adminsOnly("redact_message");
  if (isProgram(principal)) throw notByPrograms("redact_message");
  return { name: principal.name, peerId, onlyTeamId: null };
}

/** @throws forbidden if the remover may redact only one team's text, and this text belongs to other teams */
export function refuseOthersText(
  { onlyTeamId }: Remover,
  teamIds: readonly (string | null)[],
  what: string,
): void {
  if (onlyTeamId === null || teamIds.includes(onlyTeamId)) return;
  throw new MerkleError(
    "forbidden",
    `${what} was written by another team. Agents and guests can remove only what they wrote. Ask that team, or a verified human.`,
  );
}
