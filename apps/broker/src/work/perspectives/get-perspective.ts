import { findBestPerspective } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import { requirePersona } from "../personas/persona-output.js";
import type { SourceServices } from "../sources/services.js";
import { readSource, toPerspective } from "./perspective-output.js";

/**
 * Reads what a persona's reading of the document came to: the one that still holds, or else the newest (PERSPECTIVE-4).
 *
 * @throws not_found for a persona that is not there, or has not read this document
 */
export async function getPerspective(
  { services, session }: SessionContext<SourceServices>,
  { persona_name }: ParsedInputOf<"get_perspective">,
): Promise<OutputOf<"get_perspective">> {
  const { orm, meshId } = services.database;
  const persona = await requirePersona(orm, meshId, persona_name);
  const source = await readSource(orm, meshId, session);
  const row = await findBestPerspective(orm, source, persona.nameKey);
  if (!row) throw unread(persona.name, session.slug);
  return { ...toPerspective(row, source), content: row.content, document_version: source.version };
}

function unread(persona_name: string, session: string): MerkleError {
  return new MerkleError(
    "not_found",
    `Nobody has read the document of "${session}" as ${persona_name} yet. start_job perspective has it read.`,
    { persona_name, session },
  );
}
