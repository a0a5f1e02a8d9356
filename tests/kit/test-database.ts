import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject, onTestFinished } from "vitest";

/** Registers a function to run at the end of the test, or at the end of the test file if `afterAll` is passed. */
export type Cleanup = (run: () => Promise<void>) => void;

let admin: postgres.Sql | undefined;

/** Creates a migrated, empty database and returns its URL. It is dropped when the test has finished. */
export async function createTestDatabase(cleanup: Cleanup = onTestFinished): Promise<string> {
  const { serverUrl, template } = inject("postgres");
  // All test files in a worker share one connection, which ends with the worker. Connecting takes the server longer
  // than creating a database.
  admin ??= postgres(`${serverUrl}/postgres`, { max: 1, fetch_types: false, onnotice: () => undefined });
  const name = `test_${randomBytes(8).toString("hex")}`;
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  cleanup(async () => {
    await admin?.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  return `${serverUrl}/${name}`;
}

/** Opens a connection for inspecting a test's database. It is closed when the test has finished. */
export function connectTestDatabase(url: string, cleanup: Cleanup = onTestFinished): postgres.Sql {
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  cleanup(() => sql.end({ timeout: 1 }));
  return sql;
}
