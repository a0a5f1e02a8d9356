import { findPerson } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { IdentityServices, PersonContext } from "../context.js";
import { isVerified } from "../credential.js";
import { unauthorized } from "../refusals.js";

/** Says whose credential this is (PERSON-8). */
export async function getPerson(ctx: PersonContext<IdentityServices>): Promise<OutputOf<"get_person">> {
  const { database } = ctx.services;
  const row = await findPerson(database.orm, database.meshId, ctx.person.personId);
  if (!row) throw unauthorized("This person is gone");
  return {
    person_id: row.personId,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    verified: isVerified(row),
  };
}
