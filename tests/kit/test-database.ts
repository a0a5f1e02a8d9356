import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject, onTestFinished } from "vitest";

/** Registers what is to happen at the end: of the test, or with `afterAll` of the file. */
export type Cleanup = (run: () => Promise<void>) => void;

let admin: postgres.Sql | undefined;

/** Makes a migrated, empty database and returns its URL. It is dropped when the test has finished. */
export async function createTestDatabase(cleanup: Cleanup = onTestFinished): Promise<string> {
  const { serverUrl, template } = inject("postgres");
  // One connection for all files of a worker, which ends with it: to make one takes the server longer than a database.
  admin ??= postgres(`${serverUrl}/postgres`, { max: 1, fetch_types: false, onnotice: () => undefined });
  const name = `test_${randomBytes(8).toString("hex")}`;
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  cleanup(async () => {
    await admin?.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  return `${serverUrl}/${name}`;
}

/** A connection for looking into a test's database, closed when the test has finished. */
export function connectTestDatabase(url: string, cleanup: Cleanup = onTestFinished): postgres.Sql {
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  cleanup(() => sql.end({ timeout: 1 }));
  return sql;
}
