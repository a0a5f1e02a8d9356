import { findPersona, lockAndCountPersonas, savePersona, type Transaction } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { PersonContext } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";
import { hashPersona, toPersona, toPersonaKey } from "./read-personas.js";

/**
 * Creates or changes a persona. Only a person may do this, because agents follow the persona's text as
 * instructions (PERSONA-4). If two callers pass the same `expected_version`, exactly one succeeds.
 *
 * @throws conflict, with the current persona
 */
export async function putPersona(
  { services, person, write }: PersonContext<ViewServices>,
  { name, prompt, retired, expected_version: expectedVersion }: ParsedInputOf<"put_persona">,
): Promise<OutputOf<"put_persona">> {
  const { meshId } = services.database;
  const nameKey = toPersonaKey(name);
  return write(async ({ tx, afterCommit }) => {
    if (expectedVersion === 0) await refuseOneTooMany(tx, meshId, nameKey);
    const row = await savePersona(tx, {
      meshId,
      nameKey,
      name,
      prompt,
      hash: hashPersona({ name, prompt }),
      retired,
      updatedBy: person.name,
      expectedVersion,
    });
    if (!row) throw await conflict(tx, meshId, name, expectedVersion);
    afterCommit(() => services.mesh.announce("personas", null));
    return toPersona(row);
  });
}

async function refuseOneTooMany(tx: Transaction, meshId: string, nameKey: string): Promise<void> {
  const count = await lockAndCountPersonas(tx, meshId);
  if (count < limits.personasPerMeshMax || (await findPersona(tx, meshId, nameKey))) return;
  throw new MerkleError(
    "conflict",
    `This mesh has ${count} personas, including retired ones, which is the limit. Rewrite one that is no longer needed.`,
  );
}

async function conflict(
  tx: Transaction,
  meshId: string,
  name: string,
  expectedVersion: number,
): Promise<MerkleError> {
  const row = await findPersona(tx, meshId, toPersonaKey(name));
  if (!row) {
    return new MerkleError(
      "conflict",
      `There is no persona ${JSON.stringify(name)} yet. Expected version 0 for a new persona, got ${expectedVersion}.`,
      { version: 0 },
    );
  }
  const by = row.updatedBy === null ? "" : `, by ${row.updatedBy}`;
  return new MerkleError(
    "conflict",
    `The persona ${JSON.stringify(row.name)} is at version ${row.version}${by}, not ${expectedVersion}. Merge your change into the current persona and save it again.`,
    { version: row.version, persona: toPersona(row) },
  );
}
