import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readFile, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  createFolder,
  describePermissionProblem,
  findPermissionProblemAbove,
  NotPlainError,
  openFolder,
} from "../files/index.js";
import { EmbeddedPostgresError, explainPathErrors, findErrorCode } from "./error.js";
import type { ServerUser } from "./run-program.js";
import { canReach, canWriteTo, ensureServerUser, isRoot, requireNamedUser } from "./server-user.js";

/** Folder for the data of a server that root starts, if the server's own user cannot reach the home. */
export const SYSTEM_FOLDER = "/var/lib/merkle";

/** The paths of an embedded server, and the user that owns them. */
export interface ServerPaths {
  home: string;
  /** The data directory, with links resolved. It may not exist yet, but its parent does. */
  data: string;
  /**
   * The folder that contains `pg/` and `run/`: either the home, or a separate folder below /var/lib/merkle.
   */
  area: string;
  /**
   * The user that owns the data and the socket, and runs the server. Undefined if this process is not root.
   */
  user: ServerUser | undefined;
}

/**
 * Chooses where this home's cluster is stored, and creates its parent folders. The cluster is in
 * `<home>/pg/<major>` if the server's user can reach that path. If root's home is private (0700, the usual
 * case), the user cannot, so the data and the socket are below /var/lib/merkle, and `<home>/pg/<major>` is a
 * link to the data.
 */
export async function resolveServerPaths(home: string, major: number): Promise<ServerPaths> {
  const pointer = join(home, "pg", String(major));
  if (!isRoot()) {
    await explainPathErrors(home, () => mkdir(join(home, "pg"), { recursive: true, mode: 0o700 }));
    requireNamedUser();
    return { home, data: await resolveOwn(pointer), area: home, user: undefined };
  }
  await requireRootOwned(home);
  await explainPathErrors(home, () => makeRootFolder(dirname(pointer)));
  const found = await lstat(pointer).catch(ignoreMissing);
  if (found?.isSymbolicLink()) return resolvePointer(home, pointer);
  if (found) return resolveData({ home, data: pointer, area: home });
  return createServerPaths(home, pointer);
}

/**
 * Returns the folder for copies of the PostgreSQL binaries. If this process is root, all homes share one
 * folder that everyone can read and only root can write.
 */
export function toBinaryCopiesPath(home: string): string {
  return isRoot() ? join(SYSTEM_FOLDER, "binaries") : join(home, "pg", "binaries");
}

/** Returns the path of a home's folder below /var/lib/merkle. */
export function toSystemArea(home: string): string {
  return join(SYSTEM_FOLDER, createHash("sha256").update(home).digest("hex").slice(0, 16));
}

/** Creates a home's folder below /var/lib/merkle. Only root may call this. */
export async function makeSystemArea(home: string, user: ServerUser): Promise<string> {
  const area = toSystemArea(home);
  return explainPathErrors(SYSTEM_FOLDER, async () => {
    await mkdir(SYSTEM_FOLDER, { recursive: true });
    await chmod(SYSTEM_FOLDER, 0o755);
    await makeRootFolder(area);
    if (await canReach(area, user)) return area;
    throw unreachable(area, user);
  });
}

/**
 * Creates a folder that only `user` can enter (default: the user of this process), or corrects the mode and
 * owner of an existing one. The folder is kept open while it is changed, and links are refused, so root can
 * only give away the folder at exactly this path. Root owns its parent folders.
 */
export async function makePrivateFolder(path: string, user: ServerUser | undefined): Promise<void> {
  await makeFolder(path, { mode: 0o700, owner: user, allowedOwners: user ? [0, user.uid] : undefined });
}

/**
 * Creates a folder that root owns and the server's user can traverse. No other user can replace its contents.
 */
async function makeRootFolder(path: string): Promise<void> {
  await makeFolder(path, { mode: 0o711, owner: { uid: 0, gid: 0 }, allowedOwners: undefined });
}

interface FolderRights {
  mode: number;
  owner: Pick<ServerUser, "uid" | "gid"> | undefined;
  /** Users that may own the folder if it already exists. Default: any user. */
  allowedOwners: readonly number[] | undefined;
}

async function makeFolder(path: string, { mode, owner, allowedOwners }: FolderRights): Promise<void> {
  const parent = await openFolder(dirname(path));
  try {
    const folder = await createFolder(parent, basename(path));
    try {
      if (allowedOwners && !allowedOwners.includes(folder.uid))
        throw new NotPlainError(`${path} belongs to another user.`);
      if (owner) await folder.chown(owner.uid, owner.gid);
      await folder.chmod(mode);
    } finally {
      await folder.close();
    }
  } catch (cause) {
    if (!(cause instanceof NotPlainError)) throw cause;
    throw new EmbeddedPostgresError(
      "home_unreachable",
      `${cause.message} Merkle needs this path for its own files. Find out who created it, then remove it.`,
      { cause },
    );
  } finally {
    await parent.close();
  }
}

/**
 * Throws if another user could replace the folder or a folder above it. Root must not create or give away
 * anything there.
 */
async function requireRootOwned(folder: string): Promise<void> {
  const problem = await findPermissionProblemAbove(folder, { owner: 0 });
  if (!problem) return;
  throw new EmbeddedPostgresError(
    "home_shared",
    `When Merkle runs as root, its folders must be writable only by root: ${describePermissionProblem(problem)}`,
  );
}

async function createServerPaths(home: string, pointer: string): Promise<ServerPaths> {
  const user = await ensureServerUser(0);
  if (await canReach(dirname(pointer), user)) return { home, data: pointer, area: home, user };

  const area = await makeSystemArea(home, user);
  const data = join(area, "pg", basename(pointer));
  await makeRootFolder(dirname(data));
  await writeFile(join(area, "home"), home);
  await explainPathErrors(home, () => symlink(data, pointer));
  return { home, data, area, user };
}

async function resolvePointer(home: string, pointer: string): Promise<ServerPaths> {
  const data = await readlink(pointer);
  const area = dirname(dirname(data));
  if (dirname(area) === SYSTEM_FOLDER) {
    // Takes ownership for root. An earlier version gave these folders to the server's user, who could then
    // replace their contents.
    await makeRootFolder(area);
    await makeRootFolder(dirname(data));
  }
  await requireRootOwned(dirname(data));
  await requireSoleHome(home, pointer, area);
  if (await lstat(data).catch(ignoreMissing)) return resolveData({ home, data, area });
  // There is no data, because initdb failed during the first start or someone removed the data.
  return { home, data, area, user: await ensureServerUser(0) };
}

async function resolveData(paths: Omit<ServerPaths, "user">): Promise<ServerPaths> {
  const found = await lstat(paths.data);
  if (found.isSymbolicLink()) throw unlinked(paths.data);
  const user = await ensureServerUser(found.uid);
  const data = await realpath(paths.data);
  if (await canWriteTo(data, user)) return { ...paths, data, user };
  throw unreachable(data, user);
}

/**
 * Throws if the home is a copy, because the original and the copy would then use the same database. A home
 * that was moved is accepted.
 */
async function requireSoleHome(home: string, pointer: string, area: string): Promise<void> {
  const mark = join(area, "home");
  const owner = await readFile(mark, "utf8").catch(() => home);
  if (owner === home) return;
  const other = join(owner, "pg", basename(pointer));
  if ((await readlink(other).catch(ignoreMissing)) === (await readlink(pointer))) {
    throw new EmbeddedPostgresError(
      "home_copied",
      `${home} is a copy of ${owner} and points to the same database in ${area}. Use ${owner}, or delete ${pointer} to start with an empty database here.`,
    );
  }
  await writeFile(mark, home);
}

async function resolveOwn(pointer: string): Promise<string> {
  try {
    return await realpath(pointer);
  } catch (error) {
    if (findErrorCode(error) === "ENOENT") return pointer;
    throw new EmbeddedPostgresError(
      "home_unreachable",
      `This user cannot access ${pointer}, which was created when Merkle ran as root. Run Merkle as root again, or use another MERKLE_HOME.`,
      { cause: error },
    );
  }
}

function unreachable(path: string, user: ServerUser): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "home_unreachable",
    `PostgreSQL refuses to run as root, so it runs as the user "${user.name}", who cannot write to ${path}. Allow access to the folders above it (chmod a+x), or use another MERKLE_HOME.`,
  );
}

function unlinked(path: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "home_unreachable",
    `${path} is a symbolic link. Replace it with the data itself.`,
  );
}

function ignoreMissing(error: unknown): undefined {
  if (findErrorCode(error) !== "ENOENT") throw error;
}
