import { findBestPerspective } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { requirePersona } from "../personas/persona-output.js";
import { requireSourcePath } from "../sources/require-source-path.js";
import type { SourceServices } from "../sources/services.js";
import { readFileSource, toPerspective } from "./perspective-output.js";

/**
 * Reads what a persona's reading of a file came to: the one that still holds, or else the newest (SOURCE-13).
 *
 * @throws not_found for a persona that is not there, or has not read this file
 */
export async function getSourcePerspective(
  { services }: Context<SourceServices>,
  { source_path, persona_name }: ParsedInputOf<"get_source_perspective">,
): Promise<OutputOf<"get_source_perspective">> {
  const { orm, meshId } = services.database;
  const persona = await requirePersona(orm, meshId, persona_name);
  const source = await readFileSource(services, requireSourcePath(source_path));
  const row = await findBestPerspective(orm, source, persona.nameKey);
  if (!row) throw unread(persona.name, source_path);
  return { ...toPerspective(row, source), content: row.content, source_sha: source.hash };
}

function unread(persona_name: string, source_path: string): MerkleError {
  return new MerkleError(
    "not_found",
    `Nobody has read ${source_path} as ${persona_name} yet. start_job perspective has it read.`,
    { persona_name, source_path },
  );
}
