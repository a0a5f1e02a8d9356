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

/** What the embedded servers of a home have stored outside of it. */
export interface OutsideData {
  /** The folders of this home alone, and /var/lib/merkle together with the user. */
  readonly folders: readonly string[];
  /** The system user that Merkle made, where nothing of another home is in /var/lib/merkle, and no server runs as it. */
  readonly user: string | undefined;
}

/** @param home - with links resolved */
export async function findOutsideData(home: string): Promise<OutsideData> {
  const sockets = await filter(temporaryFoldersOf(home), isOwnFolder);
  if (!isRoot()) return { folders: sockets, user: undefined };
  const areas = await filter(await listAreas(home), (area) => belongsTo(area, home));
  const made = await findMadeUser();
  const user = made && !(await isUsedByOthers(areas, made)) ? made.name : undefined;
  const shared = user !== undefined && (await isOwnFolder(SYSTEM_FOLDER)) ? [SYSTEM_FOLDER] : [];
  return { folders: [...areas, ...shared, ...sockets], user };
}

/** Removes what was found, except what another home uses by now. */
export async function removeOutsideData(home: string, { folders, user }: OutsideData): Promise<void> {
  const current = await findOutsideData(home);
  for (const folder of folders) if (current.folders.includes(folder)) await removeFolder(folder);
  if (user !== undefined && current.user === user) await removeUser(user);
}

/** Other homes have their data there, or have it elsewhere while their servers run as the same user. */
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

/** Ends the servers that a killed broker has left on this home; resolves when they are gone. */
export async function stopLeftServers(home: string): Promise<void> {
  for (const major of await listMajors(home)) {
    const data = await realpath(join(home, "pg", String(major))).catch(() => undefined);
    const server = data === undefined ? undefined : await readPostmasterFile(data);
    if (data === undefined || !server || !(await isPostmaster(server.pid, data))) continue;
    process.kill(server.pid, "SIGINT");
    while (stillRuns(server.pid)) await pause(50);
  }
}

/** The folders that the home links to, and the one named after the home. */
async function listAreas(home: string): Promise<string[]> {
  const pointers = (await listMajors(home)).map((major) => join(home, "pg", String(major)));
  const targets = await Promise.all(pointers.map((pointer) => readlink(pointer).catch(() => "")));
  const areas = targets
    .map((data) => dirname(dirname(data)))
    .filter((area) => dirname(area) === SYSTEM_FOLDER);
  return [...new Set([...areas, systemAreaOf(home)])];
}

/** A copied home still links to the original's database. */
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
