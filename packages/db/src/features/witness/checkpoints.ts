import { and, desc, eq, ne, sql } from "drizzle-orm";
import { checkpoints, cosignatures, meshLogs, witnessPolicies } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import type { LogKey } from "./log-entries.js";

export interface CheckpointRow {
  readonly size: number;
  /** The note with the broker's signature. */
  readonly note: string;
}

/** Stores a checkpoint, unless one of this size is stored. Returns the stored one. */
export async function saveCheckpoint(
  db: Queryable,
  { meshId, epoch }: LogKey,
  { size, note }: CheckpointRow,
): Promise<CheckpointRow> {
  await db.insert(checkpoints).values({ meshId, epoch, size, note }).onConflictDoNothing();
  const saved = await findCheckpoint(db, { meshId, epoch }, size);
  if (!saved) throw new TypeError("The stored checkpoint was not found.");
  return saved;
}

/** Finds the checkpoint of a size, or the newest one. */
export async function findCheckpoint(
  db: Queryable,
  { meshId, epoch }: LogKey,
  size?: number,
): Promise<CheckpointRow | null> {
  const [row] = await db
    .select({ size: checkpoints.size, note: checkpoints.note })
    .from(checkpoints)
    .where(
      and(
        eq(checkpoints.meshId, meshId),
        eq(checkpoints.epoch, epoch),
        size === undefined ? undefined : eq(checkpoints.size, size),
      ),
    )
    .orderBy(desc(checkpoints.size))
    .limit(1);
  return row ?? null;
}

/** Finds the last checkpoint of the log that ended when this epoch began. */
export async function findCheckpointBefore(db: Queryable, { meshId, epoch }: LogKey): Promise<string | null> {
  const [row] = await db
    .select({ note: checkpoints.note })
    .from(checkpoints)
    .innerJoin(meshLogs, and(eq(meshLogs.meshId, checkpoints.meshId), eq(meshLogs.epoch, checkpoints.epoch)))
    .where(and(eq(checkpoints.meshId, meshId), ne(checkpoints.epoch, epoch)))
    .orderBy(desc(meshLogs.begunAt), desc(checkpoints.size))
    .limit(1);
  return row?.note ?? null;
}

export interface CosignatureRow {
  /** Public key of the witness. */
  readonly witness: Uint8Array;
  /** The witness's time, in seconds. */
  readonly at: number;
  /** The line that the witness adds to the note. */
  readonly line: string;
}

/** Stores a cosignature. Keeps the latest if a witness cosigned a checkpoint more than once. */
export async function saveCosignature(
  db: Queryable,
  { meshId, epoch, size }: LogKey & { readonly size: number },
  cosignature: CosignatureRow,
): Promise<void> {
  await db
    .insert(cosignatures)
    .values({ meshId, epoch, size, ...cosignature })
    .onConflictDoUpdate({
      target: [cosignatures.meshId, cosignatures.epoch, cosignatures.size, cosignatures.witness],
      set: { at: cosignature.at, line: cosignature.line },
      setWhere: sql`${cosignatures.at} < excluded.at`,
    });
}

/** Lists the cosignatures of the checkpoint of this size. */
export async function listCosignatures(
  db: Queryable,
  { meshId, epoch }: LogKey,
  size: number,
): Promise<CosignatureRow[]> {
  return db
    .select({ witness: cosignatures.witness, at: cosignatures.at, line: cosignatures.line })
    .from(cosignatures)
    .where(and(eq(cosignatures.meshId, meshId), eq(cosignatures.epoch, epoch), eq(cosignatures.size, size)))
    .orderBy(cosignatures.witness);
}

/** Returns the time, in seconds, at which a witness cosigned the largest checkpoint below this size, or null. */
export async function findEarlierTime(
  db: Queryable,
  { meshId, epoch, size }: LogKey & { readonly size: number },
  witness: Uint8Array,
): Promise<number | null> {
  const [row] = await db
    .select({ at: cosignatures.at })
    .from(cosignatures)
    .where(
      and(
        eq(cosignatures.meshId, meshId),
        eq(cosignatures.epoch, epoch),
        eq(cosignatures.witness, witness),
        sql`${cosignatures.size} < ${size}::bigint`,
      ),
    )
    .orderBy(desc(cosignatures.size))
    .limit(1);
  return row?.at ?? null;
}

/** Returns the largest size whose checkpoint at least `least` of these witnesses cosigned, or null. */
export async function findWitnessedSize(
  db: Queryable,
  { meshId, epoch }: LogKey,
  { least, witnesses }: { readonly least: number; readonly witnesses: readonly Uint8Array[] },
): Promise<number | null> {
  const keys = sql.join(
    witnesses.map((key) => sql`${sql.param(key, cosignatures.witness)}::bytea`),
    sql`, `,
  );
  const [row] = await db.execute<{ size: number }>(sql`
    SELECT size::float8 AS size FROM cosignatures
    WHERE mesh_id = ${meshId} AND epoch = ${epoch} AND witness IN (${keys})
    GROUP BY size HAVING count(*) >= ${least}::bigint
    ORDER BY size DESC LIMIT 1`);
  return row?.size ?? null;
}

export interface WitnessPolicyRow {
  /** How many of the witnesses must cosign. */
  readonly least: number;
  /** Their verifier keys. */
  readonly witnesses: readonly string[];
}

/** Returns the policy of a mesh, or null if it needs no witness. */
export async function findWitnessPolicy(db: Queryable, meshId: string): Promise<WitnessPolicyRow | null> {
  const [row] = await db.select().from(witnessPolicies).where(eq(witnessPolicies.meshId, meshId));
  return row ? { least: row.least, witnesses: row.witnesses.split("\n") } : null;
}

/** Replaces the policy of a mesh. Null removes it. */
export async function setWitnessPolicy(
  db: Queryable,
  meshId: string,
  policy: WitnessPolicyRow | null,
): Promise<void> {
  if (!policy) {
    await db.delete(witnessPolicies).where(eq(witnessPolicies.meshId, meshId));
    return;
  }
  const row = { least: policy.least, witnesses: policy.witnesses.join("\n") };
  await db
    .insert(witnessPolicies)
    .values({ meshId, ...row })
    .onConflictDoUpdate({ target: witnessPolicies.meshId, set: row });
}
