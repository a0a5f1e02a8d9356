import { chmod, chown, mkdir, open, readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isPosix } from "../files/platform.js";
import { type Binaries, toProgramPath } from "./binaries.js";
import { type Endpoint, MERKLE } from "./endpoint.js";
import { EmbeddedPostgresError, explainPathErrors, explainText, findErrorCode } from "./error.js";
import { makePrivateFolder, type ServerPaths } from "./place.js";
import { runProgram, type ServerUser } from "./run-program.js";
import { createUnfinishedPath, removeFolder, removeUnfinished } from "./unfinished.js";

/**
 * Creates the data directory if it does not exist. initdb writes to a temporary folder, which is renamed once
 * it is complete and on disk. The data directory is therefore always either complete or missing, even if the
 * process was killed.
 */
export async function ensureCluster(
  paths: ServerPaths,
  binaries: Binaries,
  endpoint: Endpoint,
): Promise<void> {
  const parent = dirname(paths.data);
  await removeUnfinished(parent);
  if (await isCluster(paths.data)) return;

  const unfinished = createUnfinishedPath(parent);
  try {
    await explainPathErrors(parent, async () => {
      // Root owns this folder, which the server's user can only traverse. The server's user owns the data
      // inside.
      await mkdir(unfinished);
      await chmod(unfinished, paths.user ? 0o711 : 0o700);
      await initialise(join(unfinished, "data"), { paths, binaries, endpoint, scratch: unfinished });
      await rename(join(unfinished, "data"), paths.data);
      await syncFolder(parent);
    });
  } catch (error) {
    // Another process may have created the data directory in the meantime. In that case the error is ignored.
    if (!(await isCluster(paths.data))) throw error;
  } finally {
    await removeFolder(unfinished);
  }
}

interface Initialisation {
  paths: ServerPaths;
  binaries: Binaries;
  endpoint: Endpoint;
  scratch: string;
}

async function initialise(
  data: string,
  { paths, binaries, endpoint, scratch }: Initialisation,
): Promise<void> {
  const { user } = paths;
  await makePrivateFolder(data, user);
  const args = [
    `--pgdata=${data}`,
    `--username=${MERKLE}`,
    "--data-checksums",
    "--encoding=UTF8",
    ...toLocaleArgs(binaries.major),
    ...(await prepareAuthentication(endpoint, scratch, user)),
    "--no-instructions",
  ];
  const result = await runProgram(toProgramPath(binaries.folder, "initdb"), args, { user, cwd: scratch });
  if (result.code === 0) return;
  throw (
    explainText(dirname(paths.data), result.output) ??
    new EmbeddedPostgresError(
      "initdb_failed",
      `The database in ${paths.data} could not be created: ${lastLine(result.output)}`,
      { details: result.output },
    )
  );
}

/**
 * Returns the initdb options for PostgreSQL's built-in locale, which sorts by code point. An upgrade of the
 * system's locales therefore cannot corrupt an index.
 */
function toLocaleArgs(major: number): string[] {
  return major >= 17
    ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    : ["--locale=C"];
}

/**
 * Returns the initdb options for authentication. Connections over the socket are trusted, because only the
 * server's user and root can enter the socket's folder. `peer` would add nothing: it compares user names, and
 * the broker's system user (root or any other) never has the name of a database role.
 */
async function prepareAuthentication(
  endpoint: Endpoint,
  scratch: string,
  user: ServerUser | undefined,
): Promise<string[]> {
  if (endpoint.kind === "socket") return ["--auth-local=trust", "--auth-host=reject"];
  const path = join(scratch, "password");
  await writeFile(path, endpoint.password, { mode: 0o600, flag: "wx" });
  if (user) await chown(path, user.uid, user.gid);
  return ["--auth=scram-sha-256", `--pwfile=${path}`];
}

async function isCluster(data: string): Promise<boolean> {
  const entries = await readdir(data).catch((error: unknown): string[] => {
    if (findErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  if (entries.length === 0) return false;
  if (entries.includes("PG_VERSION") && entries.includes("global")) return true;
  throw new EmbeddedPostgresError(
    "data_damaged",
    `${data} contains files but is not a PostgreSQL database. Restore it from a backup, or move the folder away to start with an empty database.`,
  );
}

async function syncFolder(path: string): Promise<void> {
  if (!isPosix()) return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "initdb gave no reason";
}
