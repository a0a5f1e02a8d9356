import { timingSafeEqual } from "node:crypto";
import {
  type Database,
  findFurtherSecrets,
  findLiveInvites,
  findLiveJobs,
  findLiveTokens,
  findPeerSecrets,
  findPersonSecrets,
  findTeamSecrets,
  type LiveSecret,
} from "@merkle/db";
import { findInviteSecrets, findTeamCredentials, MerkleError, parseTeamCredential } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { hashSecret } from "./credential.js";
import { findTokens, hashToken } from "./tokens/token.js";

/**
 * Refuses an input that contains an active credential, token or invite link in any of its strings. Models may
 * repeat secrets from their context, and everyone in the session could then read them (AUTH-6).
 */
export async function refuseLiveCredentials(
  database: Pick<Database, "orm" | "meshId">,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const name in input) {
    if (name !== "team_id" && (canContainSecret(name) || canContainSecret(input[name])))
      return refuseQuotedCredentials(database, input);
  }
}

/**
 * Returns whether an input could contain a secret. Almost no input does, so this check usually avoids running
 * the regular expressions.
 */
function canContainSecret(value: unknown): boolean {
  if (typeof value === "string") return value.includes("mk") || value.includes("/join#");
  if (typeof value !== "object" || value === null) return false;
  for (const name in value) {
    if (canContainSecret(name) || canContainSecret((value as Readonly<Record<string, unknown>>)[name]))
      return true;
  }
  return false;
}

async function refuseQuotedCredentials(
  database: Pick<Database, "orm" | "meshId">,
  { team_id: _own, ...input }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const secrets = new QuotedSecrets();
  secrets.collect(input);
  // The invite that the caller is redeeming is expected in the input.
  for (const secret of findInviteSecrets(String(input["invite"]))) secrets.invites.delete(secret);
  await refuseTeamCredentials(database, secrets.credentials);
  await refuseTokens(database, secrets.tokens);
  await refuseInvites(database, secrets.invites);
}

/** The strings in an input that look like secrets. */
class QuotedSecrets {
  readonly credentials = new Set<string>();
  readonly tokens = new Set<string>();
  readonly invites = new Set<string>();

  collect(value: unknown): void {
    if (typeof value === "string") {
      for (const credential of findTeamCredentials(value)) this.add(this.credentials, credential);
      for (const token of findTokens(value)) this.add(this.tokens, token);
      for (const secret of findInviteSecrets(value)) this.add(this.invites, secret);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        this.collect(name);
        this.collect(inner);
      }
    }
  }

  /**
   * Adds a string to check.
   *
   * @throws bad_request beyond the limit, since hashing and looking up each string would delay all other
   * callers
   */
  private add(set: Set<string>, text: string): void {
    set.add(text);
    if (this.credentials.size + this.tokens.size + this.invites.size > limits.quotedSecretsMax)
      throw tooManyQuoted();
  }
}

function tooManyQuoted(): MerkleError {
  const max = limits.quotedSecretsMax;
  return new MerkleError(
    "bad_request",
    `The text contains more than ${max} different strings that look like a credential, a token or an invite link, and each must be checked. Remove the ones that are not needed, or send the text in parts.`,
    { max },
  );
}

async function refuseTeamCredentials(
  { orm, meshId }: Pick<Database, "orm" | "meshId">,
  credentials: ReadonlySet<string>,
): Promise<void> {
  if (credentials.size === 0) return;
  const quoted = [...credentials].flatMap((text) => parseTeamCredential(text) ?? []);
  const ids = quoted.map((credential) => credential.teamId);
  const furtherSecrets = await findFurtherSecrets(orm, ids);
  const teams = [...(await findTeamSecrets(orm, ids)), ...furtherSecrets];
  const peers = await findPeerSecrets(orm, ids);
  const persons = await findPersonSecrets(orm, meshId, ids);
  for (const { teamId: id, secret } of quoted) {
    const isPerson = persons.some((each) => each.id === id);
    if (isActive(isPerson ? [...persons, ...furtherSecrets] : [], id, secret)) throw quotedPerson(id);
    if (isActive(teams, id, secret)) throw quotedByAgent("team", id);
    if (isActive(peers, id, secret)) throw quotedByAgent("peer", id);
  }
}

async function refuseTokens({ orm }: Pick<Database, "orm">, tokens: ReadonlySet<string>): Promise<void> {
  const hashes = [...tokens].map(hashToken);
  const [job] = await findLiveJobs(orm, hashes);
  if (job) throw quotedJob(job.number);
  const [live] = await findLiveTokens(orm, hashes);
  if (!live) return;
  throw new MerkleError(
    "bad_request",
    `The text contains token ${live.number}, so anyone who reads it could use your access. Remove the token and send the text again. If anyone else has seen the token, revoke it.`,
    { token_id: live.number, next: "revoke_token" },
  );
}

async function refuseInvites({ orm }: Pick<Database, "orm">, secrets: ReadonlySet<string>): Promise<void> {
  const [live] = await findLiveInvites(orm, [...secrets].map(hashSecret));
  if (!live) return;
  throw new MerkleError(
    "bad_request",
    `The text contains the link for invite ${live.number}, so anyone who reads it could join. Remove the link and send the text again. Share invites privately.`,
    { invite_id: live.number },
  );
}

function quotedJob(number: number): MerkleError {
  return new MerkleError(
    "bad_request",
    `The text contains the credential of job ${number}, which anyone who reads it could use. Remove the credential and send the text again.`,
    { job_id: number },
  );
}

function quotedByAgent(holder: "team" | "peer", id: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `The text contains the credential of ${holder} ${id}, which anyone who reads it could use. Remove the credential and send the text again. If anyone else has seen the credential, the ${holder} must replace it.`,
    { [`${holder}_id`]: id, next: "rotate_team_credential" },
  );
}

function quotedPerson(id: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `The text contains the credential of person ${id}, which anyone who reads it could use. Remove the credential and send the text again.`,
    { person_id: id },
  );
}

function isActive(live: readonly LiveSecret[], id: string, secret: string): boolean {
  return live.some((each) => each.id === id && timingSafeEqual(each.secretHash, hashSecret(secret)));
}
