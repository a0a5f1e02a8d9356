import { findJob, findPersona, listPersonaRows, type PersonaRow, type Queryable } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, type Persona } from "@merkle/wire";
import { toCanonicalJson } from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { JobPrincipal } from "../../identity/principal.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";

/** Lists the personas of the mesh by name (PERSONA-3). */
export async function listPersonas(
  { services }: Context<ViewServices>,
  { retired }: ParsedInputOf<"list_personas">,
): Promise<OutputOf<"list_personas">> {
  const { orm, meshId } = services.database;
  return { personas: (await listPersonaRows(orm, meshId, { retired })).map(toPersona) };
}

/**
 * Returns a persona by name, ignoring case. A job's agent may read only the persona of its job (PERSONA-3).
 *
 * @throws forbidden if a job's agent asks for another persona
 */
export async function getPersona(
  ctx: Context<ViewServices>,
  { name }: ParsedInputOf<"get_persona">,
): Promise<OutputOf<"get_persona">> {
  const { orm, meshId } = ctx.services.database;
  if (ctx.principal?.kind === "job") await refuseOther(ctx, ctx.principal, name);
  return toPersona(await requirePersona(orm, meshId, name));
}

async function refuseOther(
  { services }: Context<ViewServices>,
  { meshId, job }: JobPrincipal,
  name: string,
): Promise<void> {
  const { personaName } = (await findJob(services.database.orm, { meshId, number: job })) ?? {};
  if (personaName && toPersonaKey(personaName) === toPersonaKey(name)) return;
  throw new MerkleError(
    "forbidden",
    `Job ${job} cannot read as ${JSON.stringify(name)}, because it has another persona.`,
    {
      job_id: job,
    },
  );
}

/** Returns the key by which a persona is looked up. Comparisons of names ignore case. */
export function toPersonaKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * Returns the hash of an agent's instructions. Perspectives with the same hash were made with the same
 * instructions (PERSONA-2).
 */
export function hashPersona({ name, prompt }: Pick<PersonaRow, "name" | "prompt">): string {
  return sha256(toCanonicalJson({ name, prompt }), "hex");
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

/** @throws not_found if the mesh has no such persona */
export async function requirePersona(db: Queryable, meshId: string, name: string): Promise<PersonaRow> {
  const row = await findPersona(db, meshId, toPersonaKey(name));
  if (row) return row;
  throw new MerkleError("not_found", `There is no persona ${JSON.stringify(name)} in this mesh.`, {
    next: "list_personas",
  });
}
