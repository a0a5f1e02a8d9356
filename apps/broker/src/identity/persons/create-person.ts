import { randomUUID } from "node:crypto";
import {
  findPersonOfMember,
  insertFurtherSecret,
  insertPerson,
  isNameOfVerified,
  type PersonRow,
  type Transaction,
} from "@merkle/db";
import { limits, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { makeCredential } from "../credential.js";
import { notByModels } from "../refusals.js";
import { useVerificationCode } from "./verification.js";

/**
 * Makes a person of the mesh, who is in no session yet (PERSON-1): a guest, until it is verified. A member is verified, and
 * one person of the member's name in all its browsers and on all its machines: each gets a credential of its own (MEMBER-4).
 */
export async function createPerson(
  ctx: Context<IdentityServices>,
  { name: wanted, code }: ParsedInputOf<"create_person">,
): Promise<OutputOf<"create_person">> {
  const { database, credentials } = ctx.services;
  const { meshId } = database;
  const member = ctx.principal?.kind === "member" ? ctx.principal : null;
  const memberId = member?.memberId ?? null;
  if (code !== undefined && ctx.door === "mcp") throw notByModels("create_person with a code");
  return ctx.write(async ({ tx, afterCommit }) => {
    const personId = randomUUID();
    const { credential, secretHash } = makeCredential(personId);
    const verifiedAt = code === undefined ? null : new Date();
    if (code !== undefined) await useVerificationCode(tx, code);
    const verified = memberId !== null || verifiedAt !== null;
    const name = member?.name ?? (verified ? wanted : await nameGuest(tx, meshId, wanted));
    const person = { meshId, personId, name, secretHash, memberId, createdAt: new Date(), verifiedAt };
    if (await insertPerson(tx, person)) return { person_id: credential, name, verified };
    if (memberId === null) throw new TypeError("A person was not stored.");
    const known = await findPersonOfMember(tx, meshId, memberId);
    if (!known) throw new TypeError("A member's person is there and is not.");
    // Its other credentials may just have been looked up, when this one was not among them.
    afterCommit(() => credentials.forgetEverywhere(known.personId));
    return giveFurtherCredential(tx, meshId, known);
  });
}

/** Finds a guest a name that no verified person or member of the mesh has (PERSON-12). */
export async function nameGuest(tx: Transaction, meshId: string, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} (${number})`;
    if (!(await isNameOfVerified(tx, meshId, name))) return name;
  }
}

async function giveFurtherCredential(
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
