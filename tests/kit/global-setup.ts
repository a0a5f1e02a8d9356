import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionTarget, connectPool, openDatabase } from "@merkle/db";
import { startEmbeddedPostgres } from "@merkle/db/embedded";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { makeTestHome, type TestHome } from "../../packages/db/src/embedded/test-support.js";
import { forgetMachine } from "./forget-machine.js";
import { useFolderInMemory } from "./run-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The bus of several brokers in the place of one (npm run test:nodes). */
    bus: "postgres" | "nats" | undefined;
    /** Where the databases of all tests are, and the migrated empty one that each is a copy of. */
    postgres: { serverUrl: string; template: string };
    /** The command, bundled as users have it: it starts in half the time of what it is made from. */
    program: string;
    /** A Merkle home whose PostgreSQL has just been made, and does not run: a copy of it saves a test the making. */
    preparedHome: string;
  }
}

const template = "merkle_template";

/** One embedded server for the whole run; each test has a database of its own on it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What is started from here on inherits the environment.
  forgetMachine(process.env);
  const removeFolder = await useFolderInMemory();
  const home = await mkdtemp(join(tmpdir(), "merkle-tests-"));
  await chmod(home, 0o711);
  const [server, program, prepared] = await Promise.all([
    startServer(home),
    layOutProgram(home),
    prepareHome(),
  ]);
  project.provide("postgres", { serverUrl: server.url, template });
  project.provide("program", program);
  project.provide("preparedHome", prepared.path);

  return async () => {
    await prepared.remove();
    await server.stop();
    await rm(home, { recursive: true, force: true });
    await removeFolder();
  };
}

async function startServer(home: string): Promise<{ url: string; stop(): Promise<void> }> {
  // A server of another major is tried by its superuser's address, without a database.
  const given = process.env["TESTS_DATABASE_URL"];
  const server =
    given === undefined ? await startOwnServer(home) : { url: given, stop: async () => undefined };
  const admin = postgres(`${server.url}/postgres`, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`DROP DATABASE IF EXISTS ${template}`);
  await admin.unsafe(`CREATE DATABASE ${template}`);
  await admin.end();
  await migrateEmpty(`${server.url}/${template}`);
  return server;
}

async function startOwnServer(home: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await startEmbeddedPostgres({ home, reach: "tcp", connectionsMax: 300 });
  const { host, port, database, password = "" } = server.connection;
  // Databases are made by the superuser alone, and tests change what no broker may.
  const user = "merkle";
  const url = `postgres://${user}:${password}@${host}:${port}`;
  const admin = postgres(`${url}/${database}`, { max: 1 });
  // Thousands of connections are made to it, and to prove the password is most of what each takes.
  await admin.unsafe(`SET scram_iterations = 1; ALTER ROLE ${user} PASSWORD '${password}'`);
  // Every ten seconds it starts a process for each database, to see that nothing is to be done for most.
  await admin.unsafe("ALTER SYSTEM SET autovacuum = off");
  await admin.unsafe("SELECT pg_reload_conf()");
  await admin.end();
  return { url, stop: () => server.stop() };
}

/** Migrates a database, of which each copy gets an epoch and a mesh of its own when it is first opened. */
async function migrateEmpty(target: ConnectionTarget): Promise<void> {
  await (await openDatabase({ target })).close();
  const sql = connectPool(target, 1);
  await sql.unsafe("DELETE FROM settings; DELETE FROM meshes");
  await sql.end();
}

async function prepareHome(): Promise<TestHome> {
  const prepared = await makeTestHome();
  const server = await prepared.start();
  await migrateEmpty(server.connection);
  await server.stop();
  return prepared;
}

async function layOutProgram(home: string): Promise<string> {
  // A script without types; this is what it says of itself.
  const script = (await import(new URL("../../apps/cli/scripts/lay-out.mjs", import.meta.url).href)) as {
    layOutPackage(folder: string): Promise<string>;
  };
  return script.layOutPackage(join(home, "program"));
}
