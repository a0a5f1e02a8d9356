import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backupDatabase, restoreDatabase } from "@merkle/db";
import type postgres from "postgres";
import { expect, onTestFinished } from "vitest";
import type { TestBroker } from "./test-broker.js";
import { connectTestDatabase } from "./test-database.js";

/** Restores the database in place from a file, so that clients can keep using the same address. */
export async function restoreInPlace(broker: TestBroker, file: string): Promise<void> {
  const sql = connectTestDatabase(broker.databaseUrl);
  await broker.restartAfter(async () => {
    // A busy server ends connections some time after clients close them. A restore waits only a limited time for those
    // connections to end.
    await expect.poll(() => countBrokers(sql)).toBe(0);
    await sql.unsafe(
      "DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA merkle_migrations CASCADE",
    );
    await restoreDatabase({ target: broker.databaseUrl, file });
  });
}

export async function backUp(broker: TestBroker): Promise<string> {
  const file = join(broker.home, "merkle.backup");
  onTestFinished(() => rm(file, { force: true }));
  await backupDatabase({ target: broker.databaseUrl, file });
  return file;
}

/** Returns the number of database connections that brokers have open. */
async function countBrokers(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::int AS connections FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'merkle'`;
  return row?.["connections"];
}
