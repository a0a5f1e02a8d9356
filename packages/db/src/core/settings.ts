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
