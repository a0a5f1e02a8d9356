import { and, asc, count, eq, sql } from "drizzle-orm";
import { meshes, personas } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

export type PersonaRow = typeof personas.$inferSelect;

/** Lists a mesh's personas by name. Includes retired personas on request. */
export async function listPersonaRows(
  db: Queryable,
  meshId: string,
  { retired }: { readonly retired: boolean },
): Promise<PersonaRow[]> {
  return db
    .select()
    .from(personas)
    .where(and(eq(personas.meshId, meshId), retired ? undefined : eq(personas.retired, false)))
    .orderBy(asc(personas.nameKey));
}

export async function findPersona(
  db: Queryable,
  meshId: string,
  nameKey: string,
): Promise<PersonaRow | null> {
  const [row] = await db
    .select()
    .from(personas)
    .where(and(eq(personas.meshId, meshId), eq(personas.nameKey, nameKey)));
  return row ?? null;
}

export interface WrittenPersona extends Omit<PersonaRow, "version" | "updatedAt"> {
  /** The version that the change replaces. 0 creates a new persona. */
  readonly expectedVersion: number;
}

/** Writes a persona's next version. Returns null if the current version is not the expected one. */
export async function savePersona(
  tx: Transaction,
  { expectedVersion, ...written }: WrittenPersona,
): Promise<PersonaRow | null> {
  const { meshId, nameKey, ...values } = written;
  const updatedAt = sql`now()`;
  const [row] =
    expectedVersion === 0
      ? await tx
          .insert(personas)
          .values({ ...written, version: 1, updatedAt })
          .onConflictDoNothing()
          .returning()
      : await tx
          .update(personas)
          .set({ ...values, version: sql`${personas.version} + 1`, updatedAt })
          .where(
            and(
              eq(personas.meshId, meshId),
              eq(personas.nameKey, nameKey),
              eq(personas.version, expectedVersion),
            ),
          )
          .returning();
  return row ?? null;
}

/**
 * Counts a mesh's personas, including retired ones, and locks the count until the transaction ends. Callers
 * use this to check the limit before they add a persona.
 */
export async function lockAndCountPersonas(tx: Transaction, meshId: string): Promise<number> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`personas ${meshId}`}, 0))`);
  const [row] = await tx.select({ personas: count() }).from(personas).where(eq(personas.meshId, meshId));
  return row?.personas ?? 0;
}

/** A persona that ships with Merkle. */
export type ShippedPersona = Pick<PersonaRow, "nameKey" | "name" | "prompt" | "hash">;

/**
 * Adds the given personas to `meshId`, or to every mesh, where they are missing. Does not change existing
 * personas, even if they were edited.
 */
export async function addShippedPersonas(
  db: Queryable,
  shipped: readonly ShippedPersona[],
  meshId?: string,
): Promise<void> {
  const known = await db
    .select({ meshId: meshes.meshId })
    .from(meshes)
    .where(meshId === undefined ? undefined : eq(meshes.meshId, meshId));
  const rows = known.flatMap((mesh) =>
    shipped.map((each) => ({ ...each, ...mesh, version: 1, updatedAt: sql`now()` })),
  );
  if (rows.length > 0) await db.insert(personas).values(rows).onConflictDoNothing();
}
