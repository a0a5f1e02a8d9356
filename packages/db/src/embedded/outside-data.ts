import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listMajors } from "./majors.js";
import { SYSTEM_FOLDER, toSystemArea } from "./place.js";
import { isPostmaster, isServerRunning, readPostmasterFile } from "./postmaster-file.js";
import type { ServerUser } from "./run-program.js";
import { findCreatedUser, isRoot, removeUser } from "./server-user.js";
import { toTemporaryFolders } from "./socket-folder.js";
import { removeFolder } from "./unfinished.js";

/** Data that a home's embedded servers have stored outside the home. */
export interface OutsideData {
  /** Folders that only this home uses. Includes /var/lib/merkle if the system user can be removed too. */
  readonly folders: readonly string[];
  /**
   * Name of the system user that Merkle created. Undefined if /var/lib/merkle has data from another home, or
   * if a process still runs as this user.
   */
  readonly user: string | undefined;
}

/** @param home - path of the home, with links resolved */
export async function findOutsideData(home: string): Promise<OutsideData> {
  const sockets = await filter(toTemporaryFolders(home), isOwnFolder);
  if (!isRoot()) return { folders: sockets, user: undefined };
  const areas = await filter(await listClusterDirectories(home), (area) => belongsTo(area, home));
  const made = await findCreatedUser();
  const user = made && !(await isUsedByOthers(areas, made)) ? made.name : undefined;
  const shared = user !== undefined && (await isOwnFolder(SYSTEM_FOLDER)) ? [SYSTEM_FOLDER] : [];
  return { folders: [...areas, ...shared, ...sockets], user };
}

/**
 * Removes the data that `findOutsideData` has found, except data that another home has started to use since.
 */
export async function removeOutsideData(home: string, { folders, user }: OutsideData): Promise<void> {
  const current = await findOutsideData(home);
  for (const folder of folders) if (current.folders.includes(folder)) await removeFolder(folder);
  if (user !== undefined && current.user === user) await removeUser(user);
}

/** Returns true if other homes have data in the shared folder, or if any process still runs as this user. */
async function isUsedByOthers(areas: readonly string[], { uid }: ServerUser): Promise<boolean> {
  const names = await readdir(SYSTEM_FOLDER).catch(() => []);
  if (names.some((name) => name !== "binaries" && !areas.includes(join(SYSTEM_FOLDER, name)))) return true;
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const owners = await Promise.all(
    processes.map((pid) =>
      lstat(`/proc/${pid}`).then(
        (process) => process.uid,
        () => undefined,
      ),
    ),
  );
  return owners.includes(uid);
}

/** Stops any of this home's servers that a killed broker left running. Resolves when they have exited. */
export async function stopOrphanedServers(home: string): Promise<void> {
  for (const major of await listMajors(home)) {
    const data = await realpath(join(home, "pg", String(major))).catch(() => undefined);
    const server = data === undefined ? undefined : await readPostmasterFile(data);
    if (data === undefined || !server || !(await isPostmaster(server.pid, data))) continue;
    process.kill(server.pid, "SIGINT");
    while (isServerRunning(server.pid)) await pause(50);
  }
}

/** Lists the folders that the home links to, and the folder named after the home. */
async function listClusterDirectories(home: string): Promise<string[]> {
  const pointers = (await listMajors(home)).map((major) => join(home, "pg", String(major)));
  const targets = await Promise.all(pointers.map((pointer) => readlink(pointer).catch(() => "")));
  const areas = targets
    .map((data) => dirname(dirname(data)))
    .filter((area) => dirname(area) === SYSTEM_FOLDER);
  return [...new Set([...areas, toSystemArea(home)])];
}

/**
 * Returns true if the folder belongs to this home. A copied home is not the owner, although it still links to
 * the original's database.
 */
async function belongsTo(area: string, home: string): Promise<boolean> {
  if (!(await isOwnFolder(area))) return false;
  return (await readFile(join(area, "home"), "utf8").catch(() => home)) === home;
}

async function isOwnFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

async function filter(
  paths: readonly string[],
  predicate: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const answers = await Promise.all(paths.map(predicate));
  return paths.filter((_, at) => answers[at]);
}
