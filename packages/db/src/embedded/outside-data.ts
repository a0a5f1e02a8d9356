import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listMajors } from "./majors.js";
import { SYSTEM_FOLDER, systemAreaOf } from "./place.js";
import { isPostmaster, readPostmasterFile, stillRuns } from "./postmaster-file.js";
import type { ServerUser } from "./run-program.js";
import { findMadeUser, isRoot, removeUser } from "./server-user.js";
import { temporaryFoldersOf } from "./socket-folder.js";
import { removeFolder } from "./unfinished.js";

/** Data that the embedded servers of a home have stored outside the home. */
export interface OutsideData {
  /** Folders used only by this home, and /var/lib/merkle if the user is removed too. */
  readonly folders: readonly string[];
  /**
   * The system user created by Merkle, if /var/lib/merkle has no data of another home and no server runs as
   * this user.
   */
  readonly user: string | undefined;
}

/** @param home - path with links resolved */
export async function findOutsideData(home: string): Promise<OutsideData> {
  const sockets = await filter(temporaryFoldersOf(home), isOwnFolder);
  if (!isRoot()) return { folders: sockets, user: undefined };
  const areas = await filter(await listAreas(home), (area) => belongsTo(area, home));
  const made = await findMadeUser();
  const user = made && !(await isUsedByOthers(areas, made)) ? made.name : undefined;
  const shared = user !== undefined && (await isOwnFolder(SYSTEM_FOLDER)) ? [SYSTEM_FOLDER] : [];
  return { folders: [...areas, ...shared, ...sockets], user };
}

/** Removes the data that was found, except data that another home uses by now. */
export async function removeOutsideData(home: string, { folders, user }: OutsideData): Promise<void> {
  const current = await findOutsideData(home);
  for (const folder of folders) if (current.folders.includes(folder)) await removeFolder(folder);
  if (user !== undefined && current.user === user) await removeUser(user);
}

/** True if other homes have data in the shared folder, or if any servers still run as this user. */
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

/** Stops the servers of this home that a killed broker left running. Resolves when they have exited. */
export async function stopLeftServers(home: string): Promise<void> {
  for (const major of await listMajors(home)) {
    const data = await realpath(join(home, "pg", String(major))).catch(() => undefined);
    const server = data === undefined ? undefined : await readPostmasterFile(data);
    if (data === undefined || !server || !(await isPostmaster(server.pid, data))) continue;
    process.kill(server.pid, "SIGINT");
    while (stillRuns(server.pid)) await pause(50);
  }
}

/** Lists the folders that the home links to, and the folder named after the home. */
async function listAreas(home: string): Promise<string[]> {
  const pointers = (await listMajors(home)).map((major) => join(home, "pg", String(major)));
  const targets = await Promise.all(pointers.map((pointer) => readlink(pointer).catch(() => "")));
  const areas = targets
    .map((data) => dirname(dirname(data)))
    .filter((area) => dirname(area) === SYSTEM_FOLDER);
  return [...new Set([...areas, systemAreaOf(home)])];
}

/** True if the folder belongs to this home. A copied home still links to the original's database. */
async function belongsTo(area: string, home: string): Promise<boolean> {
  if (!(await isOwnFolder(area))) return false;
  return (await readFile(join(area, "home"), "utf8").catch(() => home)) === home;
}

async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

async function filter(paths: readonly string[], isIt: (path: string) => Promise<boolean>): Promise<string[]> {
  const answers = await Promise.all(paths.map(isIt));
  return paths.filter((_, at) => answers[at]);
}
