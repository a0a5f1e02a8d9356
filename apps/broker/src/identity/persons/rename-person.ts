import { renamePersonRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { IdentityServices, PersonContext } from "../context.js";
import { nameGuest } from "./create-person.js";

/** Changes what a person is called in the sessions that it comes to from now on (PERSON-9). */
export async function renamePerson(
  ctx: PersonContext<IdentityServices>,
  { name: wanted }: ParsedInputOf<"rename_person">,
): Promise<OutputOf<"rename_person">> {
  const { database, credentials, mesh } = ctx.services;
  const { personId, verified } = ctx.person;
  return ctx.write(async ({ tx, afterCommit }) => {
    const name = verified ? wanted : await nameGuest(tx, database.meshId, wanted);
    await renamePersonRow(tx, database.meshId, personId, name);
    afterCommit(() => {
      credentials.forgetEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return { name };
  });
}
