import { sql } from "drizzle-orm";
import { feeds, sessions } from "../core/schema.js";
import type { Queryable } from "../start/open-database.js";

export interface StorageFacts {
  /** What the database takes on its disk. */
  readonly bytes: number;
  readonly openSessions: number;
}

export async function readStorageFacts(db: Queryable, meshId: string): Promise<StorageFacts> {
  const [row] = await db.execute<{ bytes: string; open: number }>(sql`
    SELECT pg_database_size(current_database()) AS bytes,
           (SELECT count(*)::int FROM ${feeds} f JOIN ${sessions} s USING (session_id)
            WHERE s.mesh_id = ${meshId} AND f.closed_at IS NULL) AS open`);
  return { bytes: Number(row?.bytes ?? 0), openSessions: row?.open ?? 0 };
}

/** How long the least question takes there and back, in milliseconds; getting a connection is part of it. */
export async function measureRoundTrip(db: Queryable): Promise<number> {
  const begun = performance.now();
  await db.execute(sql`SELECT 1`);
  return Math.round((performance.now() - begun) * 100) / 100;
}
