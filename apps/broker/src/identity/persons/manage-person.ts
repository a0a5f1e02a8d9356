import { randomUUID, timingSafeEqual } from "node:crypto";
import {
  findPerson,
  findPersonOfMember,
  insertFurtherSecret,
  insertPerson,
  isNameOfVerified,
  lockPerson,
  type PersonRow,
  type Queryable,
  renamePersonRow,
  setPersonVerified,
  type Transaction,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityContext, IdentityPersonContext, IdentityServices } from "../context.js";
import { hashSecret, isVerified, makeCredential } from "../credential.js";
import { isProgram, type MemberPrincipal, type Principal } from "../principal.js";
import { notByModels, notByPrograms, unauthorized } from "../refusals.js";
import { makeVerificationCode, useVerificationCode } from "./verification.js";

/**
 * Creates a person in the mesh who has not joined any session (PERSON-1) and is a guest until verified. A
 * member's person is verified, and is the same person in all browsers and on all machines, each with its own
 * credential (MEMBER-4).
 */
export async function createPerson(
  ctx: IdentityContext<IdentityServices>,
  { name: requestedName, code }: ParsedInputOf<"create_person">,
): Promise<OutputOf<"create_person">> {
  const { database, credentials } = ctx.services;
  const { meshId } = database;
  const member = findPersonMember(ctx.principal);
  const memberId = member?.memberId ?? null;
  if (code !== undefined && ctx.transport === "mcp") throw notByModels("create_person");
  if (code !== undefined && isProgram(ctx.principal)) throw notByPrograms("create_person");
  return ctx.write(async ({ tx, afterCommit }) => {
    const personId = randomUUID();
    const { credential, secretHash } = makeCredential(personId);
    const verifiedAt = code === undefined ? null : new Date();
    if (code !== undefined) await useVerificationCode(tx, code);
    const verified = memberId !== null || verifiedAt !== null;
    const name = member?.name ?? (verified ? requestedName : await nameGuest(tx, meshId, requestedName));
    const person = { meshId, personId, name, secretHash, memberId, createdAt: new Date(), verifiedAt };
    if (await insertPerson(tx, person)) return { person_id: credential, name, verified };
    if (memberId === null) throw new TypeError("A person was not stored.");
    const known = await findPersonOfMember(tx, meshId, memberId);
    if (!known) throw new TypeError("The member's person was reported as existing but was not found.");
    // The cached list of the person's credentials may lack the new one.
    afterCommit(() => credentials.invalidateEverywhere(known.personId));
    return issueFurtherCredential(tx, meshId, known);
  });
}

/** Returns the member whose person the principal acts as. Null for programs, which are guests. */
export function findPersonMember(principal: Principal | null): MemberPrincipal | null {
  return principal?.kind === "member" && !isProgram(principal) ? principal : null;
}

/** Returns a name for a guest that no verified person or member of the mesh has (PERSON-12). */
export async function nameGuest(tx: Queryable, meshId: string, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} (${number})`;
    if (!(await isNameOfVerified(tx, meshId, name))) return name;
  }
}

async function issueFurtherCredential(
  tx: Transaction,
  meshId: string,
  { personId, name }: PersonRow,
): Promise<OutputOf<"create_person">> {
  const { credential, secretHash } = makeCredential(personId);
  await insertFurtherSecret(
    tx,
    { scopeId: meshId, id: personId },
    { secretHash, max: limits.furtherSecretsMax },
  );
  return { person_id: credential, name, verified: true };
}

/** Returns the person to whom a credential belongs (PERSON-8). */
export async function getPerson(
  ctx: IdentityPersonContext<IdentityServices>,
): Promise<OutputOf<"get_person">> {
  const { database } = ctx.services;
  const row = await findPerson(database.orm, database.meshId, ctx.person.personId);
  if (!row) throw unauthorized("This person no longer exists");
  return {
    person_id: row.personId,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    verified: isVerified(row),
  };
}

/** Changes a person's name for the sessions that the person joins from now on (PERSON-9). */
export async function renamePerson(
  ctx: IdentityPersonContext<IdentityServices>,
  { name: requestedName }: ParsedInputOf<"rename_person">,
): Promise<OutputOf<"rename_person">> {
  const { database, credentials, mesh } = ctx.services;
  const { personId, verified } = ctx.person;
  return ctx.write(async ({ tx, afterCommit }) => {
    const name = verified ? requestedName : await nameGuest(tx, database.meshId, requestedName);
    await renamePersonRow(tx, database.meshId, personId, name);
    afterCommit(() => {
      credentials.invalidateEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return { name };
  });
}

/**
 * Verifies a guest as human in all of the guest's sessions (PERSON-10). A verification code is valid for one
 * person.
 */
export async function verifyPerson(
  ctx: IdentityPersonContext<IdentityServices>,
  { code }: ParsedInputOf<"verify_person">,
): Promise<OutputOf<"verify_person">> {
  const { database, credentials, mesh } = ctx.services;
  const { personId, name } = ctx.person;
  return ctx.write(async ({ tx, afterCommit }) => {
    await lockPerson(tx, database.meshId, personId);
    await useVerificationCode(tx, code);
    await setPersonVerified(tx, database.meshId, personId);
    afterCommit(() => {
      credentials.invalidateEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return { name, verified: true as const };
  });
}

/** Creates a link that verifies a person. Requires the key in the broker's Merkle home (PERSON-10). */
export async function createVerificationCode(
  { services, write }: IdentityContext<IdentityServices>,
  { home_key }: ParsedInputOf<"create_verification_code">,
): Promise<OutputOf<"create_verification_code">> {
  if (!timingSafeEqual(hashSecret(home_key), hashSecret(services.homeKey))) {
    throw new MerkleError(
      "forbidden",
      "This is not the key of this broker's Merkle home. Run merkle open on the broker's machine, as the user that it runs as.",
    );
  }
  return write(async ({ tx }) => {
    const { code, link, expiresAt } = await makeVerificationCode(tx, services, limits.verificationSeconds);
    return { code, link, expires_at: expiresAt.toISOString() };
  });
}
