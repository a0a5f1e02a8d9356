import { MerkleError } from "@merkle/wire";
import { adminsOnly, unauthorized } from "../access/authorize.js";
import type { SessionContext } from "../context.js";
import { authorName } from "../roster/author-name.js";

/** Who removes a text. */
export interface Remover {
  readonly name: string;
  /** The peer whose own wait leaves the event out. */
  readonly peerId: string | null;
  /** The team whose texts alone it may remove; null for a human, who may remove anybody's (REDACT-2). */
  readonly onlyOf: string | null;
}

/** @throws unauthorized for somebody who is neither team nor person, unless it is an admin */
export function requireRemover({ principal, person, team }: SessionContext): Remover {
  const peerId = team?.peer.peerId ?? null;
  if (person) return { name: team?.name ?? person.name, peerId, onlyOf: null };
  if (team) {
    return { name: authorName(team), peerId, onlyOf: team.kind === "human" ? null : team.teamId };
  }
  if (principal?.kind !== "member")
    throw unauthorized("redact_message needs the credential of a team or of a person");
  if (principal.role !== "admin")
    throw adminsOnly("redact_message without a team's or a person's credential");
  return { name: principal.name, peerId, onlyOf: null };
}

/** @throws forbidden when none of the teams whose text it is may be the remover's */
export function refuseOthersText(
  { onlyOf }: Remover,
  teamIds: readonly (string | null)[],
  what: string,
): void {
  if (onlyOf === null || teamIds.includes(onlyOf)) return;
  throw new MerkleError(
    "forbidden",
    `${what} is another team's, and an agent removes what its own team wrote alone. Ask that team, or a human.`,
  );
}
