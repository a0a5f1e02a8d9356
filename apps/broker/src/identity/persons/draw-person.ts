import { findPerson, findPersonOfMember, hasVerificationCode, insertPerson } from "@merkle/db";
import { parseTeamCredential } from "@merkle/wire";
import { derivePersonCredential } from "@merkle/wire/identity";
import { catalogue } from "@merkle/wire/schemas";
import { parseInput, type RawInput } from "../../core/parse-input.js";
import { sha256 } from "../../core/sha256.js";
import type { IdentityServices } from "../context.js";
import { hashSecret, type PersonActor } from "../credential.js";
import { isProgram, type Principal } from "../principal.js";
import { notByPrograms, unauthorized } from "../refusals.js";
import { findPersonMember, nameGuest } from "./manage-person.js";
import { invalidVerificationLink, useVerificationCode } from "./verification.js";

/**
 * Prepares a new person, to be created in the call's own write (PERSON-15). Returns null if the credential
 * was not created for a new person, or if the member already has a person. A member who already has a person
 * uses `create_person` to get another credential.
 *
 * @throws bad_request for an invalid name; forbidden for an invalid verification code
 */
export async function resolvePersonCaller(
  { database }: Pick<IdentityServices, "database">,
  { principal, credential, given }: { principal: Principal | null; credential: string; given: RawInput },
): Promise<PersonActor | null> {
  if (principal?.kind !== "anyone" && principal?.kind !== "member") return null;
  const parsed = parseTeamCredential(credential);
  if (!parsed || derivePersonCredential(parsed.secret, sha256) !== credential) return null;
  const { orm, meshId } = database;
  const member = findPersonMember(principal);
  const memberId = member?.memberId ?? null;
  if (memberId !== null && (await findPersonOfMember(orm, meshId, memberId))) return null;

  const input = catalogue.create_person.input.parse(
    parseInput(catalogue.create_person, given, { isProved: true }),
  );
  const code = member ? undefined : input.code;
  if (code !== undefined && isProgram(principal)) throw notByPrograms("create_person");
  if (code !== undefined && !(await hasVerificationCode(orm, hashSecret(code))))
    throw invalidVerificationLink();
  const verified = member !== null || code !== undefined;
  const name = member?.name ?? (verified ? input.name : await nameGuest(orm, meshId, input.name));
  const { teamId: personId, secret } = parsed;
  const secretHash = hashSecret(secret);
  let isCreated = false;
  return {
    ...{ personId, name, credential, memberId, verified },
    pending: {
      get isCreated() {
        return isCreated;
      },
      async create({ tx, afterCommit }) {
        if (isCreated) return;
        const createdAt = new Date();
        const verifiedAt = code === undefined ? null : createdAt;
        if (await insertPerson(tx, { meshId, personId, name, secretHash, memberId, createdAt, verifiedAt })) {
          if (code !== undefined) await useVerificationCode(tx, code);
        } else if (!(await findPerson(tx, meshId, personId))) {
          // Another of the member's devices has created the person first.
          throw unauthorized("The credential is not that of this member's person");
        }
        afterCommit(() => {
          isCreated = true;
        });
      },
    },
  };
}
