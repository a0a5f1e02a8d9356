import { type DataSubject, findPerson, listPersonsNamed } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { isProgram } from "../../identity/principal.js";
import { unauthorized } from "../../identity/refusals.js";
import { adminsOnly, verifiedOnly } from "../../sessions/access/authorize.js";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";

/**
 * Returns the person whose data is requested: the caller, or any person if the caller is an admin (PERSON-13).
 *
 * @throws forbidden if the caller requests another person's data and is neither an admin nor, in open mode,
 * verified; conflict if several people have the requested name
 */
export async function getNamedPerson(
  { services, principal, person: caller }: PersonContext<ViewServices>,
  { operation, wanted }: { readonly operation: string; readonly wanted: string | undefined },
): Promise<DataSubject> {
  const { orm, meshId } = services.database;
  if (wanted === undefined) {
    const row = await findPerson(orm, meshId, caller.personId);
    if (!row) throw unauthorized("This person no longer exists");
    return { meshId, ...row };
  }
  if (!caller.verified) throw verifiedOnly(operation);
  if (principal?.kind === "member" && (principal.role !== "admin" || isProgram(principal)))
    throw adminsOnly(operation);
  const [person, ...others] = await listPersonsNamed(orm, meshId, wanted);
  if (!person) {
    throw new MerkleError("not_found", `No one in this mesh has the name or id ${JSON.stringify(wanted)}.`);
  }
  if (others.length > 0) {
    throw new MerkleError(
      "conflict",
      `${others.length + 1} people have the name ${JSON.stringify(wanted)}. Use the id of one of them.`,
      { person_ids: [person, ...others].map(({ personId }) => personId) },
    );
  }
  return person;
}
