import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConnectionTarget, connectPool, openDatabase } from "@merkle/db";
import { startEmbeddedPostgres } from "@merkle/db/embedded";
import postgres from "postgres";
import { makeTestHome, type TestHome } from "../../packages/db/src/embedded/test-support.js";

const template = "merkle_template";

interface Server {
  readonly url: string;
  /** Name of a migrated, empty database. */
  readonly template: string;
  stop(): Promise<void>;
}

/** Starts the server for all test databases. */
export async function startServer(home: string): Promise<Server> {
  // To test with another major version of PostgreSQL, set this variable to a superuser's URL without a database.
  const given = process.env["TESTS_DATABASE_URL"];
  const server =
    given === undefined ? await startOwnServer(home) : { url: given, stop: async () => undefined };
  const admin = postgres(`${server.url}/postgres`, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`DROP DATABASE IF EXISTS ${template}`);
  await admin.unsafe(`CREATE DATABASE ${template}`);
  await admin.end();
  await migrateEmpty(`${server.url}/${template}`);
  return { ...server, template };
}

async function startOwnServer(home: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await startEmbeddedPostgres({ home, reach: "tcp", connectionsMax: 300 });
  const { host, port, database, password = "" } = server.connection;
  // Tests use the superuser, because only a superuser can create databases and because tests change data that a broker
  // may not.
  const user = "merkle";
  const url = `postgres://${user}:${password}@${host}:${port}`;
  const admin = postgres(`${url}/${database}`, { max: 1 });
  // Tests open thousands of connections, and checking the password is most of the cost of opening one.
  await admin.unsafe(`SET scram_iterations = 1; ALTER ROLE ${user} PASSWORD '${password}'`);
  // Autovacuum would start a process for each database every ten seconds, mostly without any work to do.
  await admin.unsafe("ALTER SYSTEM SET autovacuum = off");
  await admin.unsafe("SELECT pg_reload_conf()");
  await admin.end();
  return { url, stop: () => server.stop() };
}

/** Migrates a database. Each copy of it gets its own epoch and mesh when first opened. */
async function migrateEmpty(target: ConnectionTarget): Promise<void> {
  await (await openDatabase({ target })).close();
  const sql = connectPool(target, 1);
  await sql.unsafe("DELETE FROM settings; DELETE FROM meshes");
  await sql.end();
}

/** Creates a home with a migrated, empty database, and stops its server. */
export async function prepareHome(): Promise<TestHome> {
  const prepared = await makeTestHome();
  const server = await prepared.start();
  await migrateEmpty(server.connection);
  await server.stop();
  // Puts shared memory into a file in the data folder, so that it is removed with that folder even if the server is
  // killed.
  await appendFile(join(server.dataDirectory, "postgresql.conf"), "dynamic_shared_memory_type = mmap\n");
  return prepared;
}
