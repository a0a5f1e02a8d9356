import { randomUUID } from "node:crypto";
import {
  findPersonOfMember,
  insertFurtherSecret,
  insertPerson,
  type PersonRow,
  type Transaction,
} from "@merkle/db";
import { limits } from "@merkle/wire";
import { makeCredential } from "../access/credentials.js";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";
import { ownerOf } from "../identity/principal.js";

/**
 * Makes a person of the mesh, who is in no session yet (PERSON-1). Names need not differ: sessions number them. A member is
 * one person in all its browsers and on all its machines: each gets a credential of its own (MEMBER-4).
 */
export async function createPerson(
  ctx: Context,
  { name }: ParsedInputOf<"create_person">,
): Promise<OutputOf<"create_person">> {
  const { database, credentials } = ctx.services;
  const { meshId } = database;
  const memberId = ownerOf(ctx.principal);
  return ctx.write(async ({ tx, afterCommit }) => {
    const personId = randomUUID();
    const { credential, secretHash } = makeCredential(personId);
    const person = { meshId, personId, name, secretHash, memberId, createdAt: new Date() };
    if (await insertPerson(tx, person)) return { person_id: credential, name };
    if (memberId === null) throw new TypeError("A person was not stored.");
    const known = await findPersonOfMember(tx, meshId, memberId);
    if (!known) throw new TypeError("A member's person is there and is not.");
    // Its other credentials may just have been looked up, when this one was not among them.
    afterCommit(() => credentials.forgetEverywhere(known.personId));
    return giveFurtherCredential(tx, meshId, known);
  });
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
  return { person_id: credential, name };
}
