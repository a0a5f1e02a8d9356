import { findJob } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";
import type { RecordServices } from "../../record/services.js";
import type { Context } from "../../sessions/context.js";
import { requirePersona, toPersona, toPersonaKey } from "./persona-output.js";

/**
 * Reads a persona, whatever the case of its name. The agent of a job reads the one that it is to read as (PERSONA-3).
 *
 * @throws forbidden when such an agent asks for another
 */
export async function getPersona(
  ctx: Context<RecordServices>,
  { name }: ParsedInputOf<"get_persona">,
): Promise<OutputOf<"get_persona">> {
  const { orm, meshId } = ctx.services.database;
  if (ctx.principal?.kind === "job") await refuseOther(ctx, ctx.principal, name);
  return toPersona(await requirePersona(orm, meshId, name));
}

async function refuseOther(
  { services }: Context<RecordServices>,
  { meshId, job }: JobPrincipal,
  name: string,
): Promise<void> {
  const { personaName } = (await findJob(services.database.orm, { meshId, number: job })) ?? {};
  if (personaName && toPersonaKey(personaName) === toPersonaKey(name)) return;
  throw new MerkleError("forbidden", `Job ${job} is not to read as ${JSON.stringify(name)}.`, {
    job_id: job,
  });
}
