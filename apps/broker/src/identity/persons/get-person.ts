import { findPerson } from "@merkle/db";
import type { OutputOf, PersonContext } from "../../context.js";
import { unauthorized } from "../../sessions/access/authorize.js";
import { isVerified } from "../../sessions/access/credentials.js";

/** Says whose credential this is (PERSON-8). */
export async function getPerson(ctx: PersonContext): Promise<OutputOf<"get_person">> {
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
