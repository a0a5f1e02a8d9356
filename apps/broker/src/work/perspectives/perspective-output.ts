import { type CurrentSource, type PerspectiveRow, type Queryable, readDocumentHash } from "@merkle/db";
import { MerkleError, type Perspective, type SourcePathParts } from "@merkle/wire";
import type { SourceServices } from "../sources/services.js";

/** A session's document as a source, as it is now. */
export async function readSource(
  db: Queryable,
  meshId: string,
  { sessionId, slug }: { readonly sessionId: string; readonly slug: string },
): Promise<CurrentSource & { readonly version: number }> {
  const document = await readDocumentHash(db, sessionId);
  if (!document) throw new MerkleError("not_found", `There is no session "${slug}".`);
  return { meshId, source: `session ${sessionId}`, ...document };
}

/** A file as a source, as it lies there now. */
export async function readFileSource(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  file: SourcePathParts,
): Promise<CurrentSource> {
  const { hash } = await sources.open(file);
  return { meshId: database.meshId, source: `file ${file.root}/${file.path}`, hash };
}

/** A reading, and whether it would be another one today: its text or its persona has changed (PERSPECTIVE-3). */
export function toPerspective(row: PerspectiveRow, { hash }: CurrentSource): Perspective {
  const because: Perspective["stale_because"] = [];
  if (row.sourceHash !== hash) because.push("source");
  if (row.personaHash !== row.currentPersonaHash) because.push("persona");
  return {
    perspective_id: row.number,
    persona_name: row.personaName,
    source_version: row.sourceVersion,
    source_hash: row.sourceHash,
    persona_hash: row.personaHash,
    job_id: row.job,
    made_at: row.madeAt.toISOString(),
    stale: because.length > 0,
    stale_because: because,
  };
}
