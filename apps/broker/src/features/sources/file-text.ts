import { findSourceText, keepSourceText, type Queryable } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import type { SourceServices } from "./services.js";

/**
 * Returns a file's text by its hash: a stored earlier text or the current one. Returns null if neither
 * matches.
 */
export async function readFileText(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  file: SourcePathParts,
  hash: string,
): Promise<string | null> {
  const { orm, meshId } = database;
  const kept = await findSourceText(orm, { meshId, ...file, hash });
  if (kept !== null) return kept;
  const current = await sources.open(file);
  return current.hash === hash ? current.text : null;
}

/** Stores a text that a new object is based on, in the same transaction as that object. */
export async function keepFileText(
  db: Queryable,
  { database }: Pick<SourceServices, "database">,
  file: SourcePathParts,
  { hash, text }: { readonly hash: string; readonly text: string },
): Promise<void> {
  await keepSourceText(db, { meshId: database.meshId, ...file, hash, content: text });
}
