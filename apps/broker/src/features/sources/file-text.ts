import { findSourceText, keepSourceText, type Queryable } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import type { SourceServices } from "./services.js";

/** A file's text by its hash: one that something was made from, or the one that lies there; null for any other. */
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

/** Keeps a text that something is made from, in the transaction that makes it. */
export async function keepFileText(
  db: Queryable,
  { database }: Pick<SourceServices, "database">,
  file: SourcePathParts,
  { hash, text }: { readonly hash: string; readonly text: string },
): Promise<void> {
  await keepSourceText(db, { meshId: database.meshId, ...file, hash, content: text });
}
