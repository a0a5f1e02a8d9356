import { eq, sql } from "drizzle-orm";
import { settings } from "./schema.js";
import type { Queryable, Transaction } from "./transactions.js";

const brokerKey = "broker";

/** The broker's settings that somebody has changed. */
export async function readBrokerSettings(db: Queryable): Promise<unknown> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, brokerKey));
  return row?.value ?? {};
}

/** Changes some of the broker's settings and leaves the others as they are. */
export async function mergeBrokerSettings(tx: Transaction, change: Record<string, unknown>): Promise<void> {
  await tx
    .insert(settings)
    .values({ key: brokerKey, value: change })
    .onConflictDoUpdate({
      target: settings.key,
      set: { value: sql`${settings.value} || excluded.value`, updatedAt: sql`now()` },
    });
}

/** A text that the brokers of a database keep there for each other, by its name. */
export async function findShared(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, name));
  return typeof row?.value === "string" ? row.value : null;
}

/** Keeps one unless another is there than `instead`; of several that are offered at once one counts. */
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
