import { and, eq } from "drizzle-orm";
import { importFiles } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";

/** Returns one part of a stored file. Parts are numbered from 0. Returns null after the last part. */
export async function readImportFile(
  db: Queryable,
  { sessionId, name, part }: { readonly sessionId: string; readonly name: string; readonly part: number },
): Promise<Uint8Array | null> {
  const [row] = await db
    .select({ bytes: importFiles.bytes })
    .from(importFiles)
    .where(and(eq(importFiles.sessionId, sessionId), eq(importFiles.name, name), eq(importFiles.part, part)));
  return row?.bytes ?? null;
}

/** Lists the names of the files stored for an imported session. */
export async function listImportFiles(db: Queryable, sessionId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ name: importFiles.name })
    .from(importFiles)
    .where(eq(importFiles.sessionId, sessionId));
  return rows.map(({ name }) => name);
}
