import { lockPerson, setPersonVerified } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { IdentityServices, PersonContext } from "../context.js";
import { useVerificationCode } from "./verification.js";

/** Makes a guest a verified person, in all its sessions (PERSON-10); a code is good for one. */
export async function verifyPerson(
  ctx: PersonContext<IdentityServices>,
  { code }: ParsedInputOf<"verify_person">,
): Promise<OutputOf<"verify_person">> {
  const { database, credentials, mesh } = ctx.services;
  const { personId, name } = ctx.person;
  return ctx.write(async ({ tx, afterCommit }) => {
    await lockPerson(tx, database.meshId, personId);
    await useVerificationCode(tx, code);
    await setPersonVerified(tx, database.meshId, personId);
    afterCommit(() => {
      credentials.forgetEverywhere(personId);
      mesh.announceToPerson(personId, null);
    });
    return { name, verified: true as const };
  });
}
