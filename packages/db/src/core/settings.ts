import { eq, sql } from "drizzle-orm";
import { settings } from "./schema.js";
import type { Queryable, Transaction } from "./transactions.js";

const brokerKey = "broker";

/** Reads the broker settings that differ from the defaults. */
export async function readBrokerSettings(db: Queryable): Promise<unknown> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, brokerKey));
  return row?.value ?? {};
}

/** Changes the given broker settings and leaves the others unchanged. */
export async function mergeBrokerSettings(tx: Transaction, change: Record<string, unknown>): Promise<void> {
  await tx
    .insert(settings)
    .values({ key: brokerKey, value: change })
    .onConflictDoUpdate({
      target: settings.key,
      set: { value: sql`${settings.value} || excluded.value`, updatedAt: sql`now()` },
    });
}

/** Finds, by name, a string that all brokers on this database share. */
export async function findShared(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, name));
  return typeof row?.value === "string" ? row.value : null;
}

/**
 * Stores a shared string if there is none yet, or if the stored string is `instead`. If several brokers offer
 * a string at the same time, exactly one is stored.
 */
export async function offerShared(
  db: Queryable,
  name: string,
  value: string,
  instead: string | null,
): Promise<void> {
  await db
    .insert(settings)
    .values({ key: name, value })
    .onConflictDoUpdate({
      target: settings.key,
      set: { value: sql`excluded.value`, updatedAt: sql`now()` },
      setWhere: sql`${settings.value} = to_jsonb(${instead}::text)`,
    });
}
