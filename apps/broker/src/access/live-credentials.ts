import { timingSafeEqual } from "node:crypto";
import {
  type Database,
  findPeerSecrets,
  findPersonSecrets,
  findTeamSecrets,
  type LiveSecret,
} from "@merkle/db";
import { findTeamCredentials, MerkleError, parseTeamCredential } from "@merkle/wire";
import { hashSecret } from "./credentials.js";

/**
 * Refuses an input whose texts quote a credential that is in force: models repeat what they hold, and a feed is for
 * everybody to read (AUTH-6).
 */
export async function refuseLiveCredentials(
  database: Pick<Database, "orm" | "meshId">,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { team_id: _own, ...fields } = input;
  const found = new Set<string>();
  collect(fields, found);
  if (found.size === 0) return;

  const quoted = [...found].flatMap((text) => parseTeamCredential(text) ?? []);
  const ids = quoted.map((credential) => credential.teamId);
  const teams = await findTeamSecrets(database.orm, ids);
  const peers = await findPeerSecrets(database.orm, ids);
  const persons = await findPersonSecrets(database.orm, database.meshId, ids);
  for (const { teamId: id, secret } of quoted) {
    if (isInForce(teams, id, secret)) throw quotedByAgent("team", id);
    if (isInForce(peers, id, secret)) throw quotedByAgent("peer", id);
    if (isInForce(persons, id, secret)) {
      throw new MerkleError(
        "bad_request",
        `The text holds the credential of person ${id}, which everybody could then use. Take it out and send it again.`,
        { person_id: id },
      );
    }
  }
}

function quotedByAgent(holder: "team" | "peer", id: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `The text holds the credential of ${holder} ${id}, which everybody could then use. Take it out and send it again; a ${holder} that has shown its credential calls rotate_team_credential.`,
    { [`${holder}_id`]: id },
  );
}

function isInForce(live: readonly LiveSecret[], id: string, secret: string): boolean {
  return live.some((each) => each.id === id && timingSafeEqual(each.secretHash, hashSecret(secret)));
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") {
    for (const credential of findTeamCredentials(value)) found.add(credential);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      collect(name, found);
      collect(inner, found);
    }
  }
}
