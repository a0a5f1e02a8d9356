import { createHash } from "node:crypto";
import { findPersona, type PersonaRow, type Queryable } from "@merkle/db";
import { canonicalJson, MerkleError, type Persona } from "@merkle/wire";

/** Names are compared without case. */
export function toPersonaKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Of what an agent is told: readings with the same hash were asked for in the same words (PERSONA-2). */
export function hashPersona({ name, prompt }: Pick<PersonaRow, "name" | "prompt">): string {
  return createHash("sha256").update(canonicalJson({ name, prompt })).digest("hex");
}

export function toPersona(row: PersonaRow): Persona {
  const { name, prompt, hash, version, retired } = row;
  return {
    name,
    prompt,
    hash,
    version,
    retired,
    updated_by: row.updatedBy,
    updated_at: row.updatedAt.toISOString(),
  };
}

/** @throws not_found */
export async function requirePersona(db: Queryable, meshId: string, name: string): Promise<PersonaRow> {
  const row = await findPersona(db, meshId, toPersonaKey(name));
  if (row) return row;
  throw new MerkleError(
    "not_found",
    `There is no persona ${JSON.stringify(name)} in this mesh. list_personas shows those there are.`,
  );
}
