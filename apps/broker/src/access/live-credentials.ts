import { timingSafeEqual } from "node:crypto";
import { type Database, findLiveSecrets } from "@merkle/db";
import { findTeamCredentials, MerkleError, parseTeamCredential } from "@merkle/wire";
import { hashSecret } from "./credentials.js";

/**
 * Refuses an input whose texts quote a credential that is in force: models repeat what they hold, and a feed is for
 * everybody to read (AUTH-6).
 */
export async function refuseLiveCredentials(
  database: Pick<Database, "orm">,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { team_id: _own, ...fields } = input;
  const found = new Set<string>();
  collect(fields, found);
  if (found.size === 0) return;

  const quoted = [...found].flatMap((text) => parseTeamCredential(text) ?? []);
  const live = await findLiveSecrets(
    database.orm,
    quoted.map((credential) => credential.teamId),
  );
  for (const { teamId, secret } of quoted) {
    const inForce = live.some(
      (team) => team.teamId === teamId && timingSafeEqual(team.secretHash, hashSecret(secret)),
    );
    if (!inForce) continue;
    throw new MerkleError(
      "bad_request",
      `The text holds the credential of team ${teamId}, which everybody could then use. Take it out and send it again; a team that has shown its credential calls rotate_team_credential.`,
      { team_id: teamId },
    );
  }
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") {
    for (const credential of findTeamCredentials(value)) found.add(credential);
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) collect(inner, found);
  }
}
