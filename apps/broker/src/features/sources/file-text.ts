import { findSourceText, keepSourceText, type Queryable } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import type { SourceServices } from "./services.js";

/**
 * Returns the text of a file with this hash: an earlier text that was stored, or the current text. Returns null
 * if neither has this hash.
 */
export async function readFileText(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  file: SourcePathParts,
  hash: string,
): Promise<string | null> {
  const { orm, meshId } = database;
  const stored = await findSourceText(orm, { meshId, ...file, hash });
  if (stored !== null) return stored;
  const current = await sources.open(file);
  return current.hash === hash ? current.text : null;
}

/** Stores a file's text in the transaction that stores the object based on the text. */
export async function keepFileText(
  db: Queryable,
  { database }: Pick<SourceServices, "database">,
  file: SourcePathParts,
  { hash, text }: { readonly hash: string; readonly text: string },
): Promise<void> {
  await keepSourceText(db, { meshId: database.meshId, ...file, hash, content: text });
}
