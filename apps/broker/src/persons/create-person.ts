import { randomUUID } from "node:crypto";
import { insertPerson } from "@merkle/db";
import { makeCredential } from "../access/credentials.js";
import type { Context, OutputOf, ParsedInputOf } from "../context.js";

/** Makes a person of the mesh, who is in no session yet (PERSON-1). Names need not differ: sessions number them. */
export async function createPerson(
  ctx: Context,
  { name }: ParsedInputOf<"create_person">,
): Promise<OutputOf<"create_person">> {
  const { meshId } = ctx.services.database;
  return ctx.write(async ({ tx }) => {
    const personId = randomUUID();
    const { credential, secretHash } = makeCredential(personId);
    await insertPerson(tx, { meshId, personId, name, secretHash, memberId: null, createdAt: new Date() });
    return { person_id: credential, name };
  });
}
