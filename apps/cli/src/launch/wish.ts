import { usageError } from "../core/cli-error.js";
import type { HeldTeam } from "../sessions/stored-peers.js";
import type { NamedSession, Wanted } from "./launch-options.js";

/** Where an agent is to be launched, with nothing missing. */
export interface Wish {
  readonly session: NamedSession;
  readonly team: string;
  /** The peer's name where the user said it. */
  readonly name: string | undefined;
  /** The name otherwise, numbered when somebody has it. */
  readonly defaultName: string;
  readonly role: string | undefined;
  readonly groups: readonly string[] | undefined;
  /** Exactly this place, which a conversation has had before. */
  readonly place?: HeldTeam;
}

export const defaultPeerName = "claude";

/**
 * What the call says, where nobody is asked.
 *
 * @throws CliError `usage` that names the flags that are missing
 */
export function toWish({ session, team, name, role, groups }: Wanted): Wish {
  if (session === undefined || team === undefined) {
    const missing = [
      ...(session === undefined ? ["--session <slug, id or title> (or --new <title>)"] : []),
      ...(team === undefined ? ["--team <name>"] : []),
    ];
    throw usageError(
      `merkle launch needs ${missing.join(" and ")}.`,
      'merkle launch --session auth-refactor --team "Alex\'s Team"',
      "merkle ls",
    );
  }
  return { session, team, name, defaultName: defaultPeerName, role, groups };
}

/** The place that a conversation goes on in. */
export function toWishFor(place: HeldTeam, { role, groups }: Pick<Wanted, "role" | "groups">): Wish {
  return {
    session: { kind: "named", name: place.session_id },
    team: place.team_name,
    name: place.peer_name ?? undefined,
    defaultName: defaultPeerName,
    role,
    groups,
    place,
  };
}
