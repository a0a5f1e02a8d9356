import {
  type CurrentSource,
  findBestPerspective,
  listBestPerspectives,
  type PerspectiveRow,
  type Queryable,
  readDocumentHash,
} from "@merkle/db";
import {
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type Perspective,
  type SourcePathParts,
} from "@merkle/wire";
import type { Context, SessionContext } from "../../sessions/context.js";
import { requirePersona } from "../personas/feature.js";
import type { SourceServices } from "../sources/feature.js";
import { requireSourcePath } from "../sources/feature.js";

/** Lists each persona's perspective on the document, without its text (PERSPECTIVE-4). */
export async function listPerspectives({
  services,
  session,
}: SessionContext<SourceServices>): Promise<OutputOf<"list_perspectives">> {
  const { orm, meshId } = services.database;
  const source = await readSource(orm, meshId, session);
  const rows = await listBestPerspectives(orm, source);
  return {
    perspectives: rows.map((row) => toPerspective(row, source)),
    document_version: source.version,
  };
}

/**
 * Returns a persona's perspective on the document: the one that is still up to date, otherwise the newest
 * (PERSPECTIVE-4).
 *
 * @throws not_found if the persona does not exist or has not read this document
 */
export async function getPerspective(
  { services, session }: SessionContext<SourceServices>,
  { persona_name }: ParsedInputOf<"get_perspective">,
): Promise<OutputOf<"get_perspective">> {
  const { orm, meshId } = services.database;
  const persona = await requirePersona(orm, meshId, persona_name);
  const source = await readSource(orm, meshId, session);
  const row = await findBestPerspective(orm, source, persona.nameKey);
  if (!row) throw notYetRead(persona.name, { session: session.slug });
  return { ...toPerspective(row, source), content: row.content, document_version: source.version };
}

/** Lists each persona's perspective on a file, without its text (SOURCE-13). */
export async function listSourcePerspectives(
  { services }: Context<SourceServices>,
  { source_path }: ParsedInputOf<"list_source_perspectives">,
): Promise<OutputOf<"list_source_perspectives">> {
  const source = await readFileSource(services, requireSourcePath(source_path));
  const rows = await listBestPerspectives(services.database.orm, source);
  return { perspectives: rows.map((row) => toPerspective(row, source)), source_sha: source.hash };
}

/**
 * Returns a persona's perspective on a file: the one that is still up to date, otherwise the newest
 * (SOURCE-13).
 *
 * @throws not_found if the persona does not exist or has not read this file
 */
export async function getSourcePerspective(
  { services }: Context<SourceServices>,
  { source_path, persona_name }: ParsedInputOf<"get_source_perspective">,
): Promise<OutputOf<"get_source_perspective">> {
  const { orm, meshId } = services.database;
  const persona = await requirePersona(orm, meshId, persona_name);
  const source = await readFileSource(services, requireSourcePath(source_path));
  const row = await findBestPerspective(orm, source, persona.nameKey);
  if (!row) throw notYetRead(persona.name, { source_path });
  return { ...toPerspective(row, source), content: row.content, source_sha: source.hash };
}

function notYetRead(
  persona_name: string,
  source: { session: string } | { source_path: string },
): MerkleError {
  const what = "session" in source ? `the document of "${source.session}"` : source.source_path;
  return new MerkleError(
    "not_found",
    `No one has read ${what} as ${persona_name} yet. Start a perspective job to have it read.`,
    { persona_name, ...source, next: "start_job" },
  );
}

/** Returns the current version of a session's document as a source. */
export async function readSource(
  db: Queryable,
  meshId: string,
  { sessionId, slug }: { readonly sessionId: string; readonly slug: string },
): Promise<CurrentSource & { readonly version: number }> {
  const document = await readDocumentHash(db, sessionId);
  if (!document) throw new MerkleError("not_found", `There is no session "${slug}".`);
  return { meshId, source: `session ${sessionId}`, ...document };
}

/** Returns the current content of a file as a source. */
export async function readFileSource(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  file: SourcePathParts,
): Promise<CurrentSource> {
  const { hash } = await sources.open(file);
  return { meshId: database.meshId, source: `file ${file.root}/${file.path}`, hash };
}

/**
 * Converts a perspective to its public form. A perspective is stale if its text or persona has changed
 * since (PERSPECTIVE-3).
 */
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
