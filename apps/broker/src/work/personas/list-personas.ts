import { listPersonaRows } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { RecordServices } from "../../record/services.js";
import type { Context } from "../../sessions/context.js";
import { toPersona } from "./persona-output.js";

/** Lists the personas of the mesh by name (PERSONA-3). */
export async function listPersonas(
  { services }: Context<RecordServices>,
  { retired }: ParsedInputOf<"list_personas">,
): Promise<OutputOf<"list_personas">> {
  const { orm, meshId } = services.database;
  return { personas: (await listPersonaRows(orm, meshId, { retired })).map(toPersona) };
}
