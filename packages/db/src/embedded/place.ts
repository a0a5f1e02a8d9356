import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readFile, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  describeStranger,
  findStrangerAbove,
  holdFolder,
  makeHeldFolder,
  NotPlainError,
} from "../files/index.js";
import { codeOf, EmbeddedPostgresError, explainingPath } from "./error.js";
import type { ServerUser } from "./run-program.js";
import { canReach, canWriteTo, isRoot, requireNamedUser, serverUserFor } from "./server-user.js";

/** Where a root-run server keeps what its user cannot reach in the home. */
export const SYSTEM_FOLDER = "/var/lib/merkle";

/** Where the parts of one embedded server lie, and who owns them. */
export interface Place {
  home: string;
  /** The data directory, with links resolved; it may not exist yet, its parent does. */
  data: string;
  /** The folder that holds `pg/` and `run/`: the home, or a folder of its own below /var/lib/merkle. */
  area: string;
  /** As root only: the user that owns data and socket, and runs the server. */
  user: ServerUser | undefined;
}

/**
 * Decides where the cluster of this home and major lies, and makes the folders above it. That is `<home>/pg/<major>`
 * wherever the server's user can get there. As root with a private home (0700, the usual one) it cannot: then data
 * and socket lie below /var/lib/merkle, and `<home>/pg/<major>` is a link to them.
 */
export async function findPlace(home: string, major: number): Promise<Place> {
  const pointer = join(home, "pg", String(major));
  if (!isRoot()) {
    await explainingPath(home, () => mkdir(join(home, "pg"), { recursive: true, mode: 0o700 }));
    requireNamedUser();
    return { home, data: await resolveOwn(pointer), area: home, user: undefined };
  }
  await requireRoots(home);
  await explainingPath(home, () => makeRootFolder(dirname(pointer)));
  const found = await lstat(pointer).catch(absent);
  if (found?.isSymbolicLink()) return placeOfPointer(home, pointer);
  if (found) return placeOfData({ home, data: pointer, area: home });
  return newPlace(home, pointer);
}

/** Where copies of the binaries go. Root's lie in one place that every user can read, and only root can write. */
export function binaryCopies(home: string): string {
  return isRoot() ? join(SYSTEM_FOLDER, "binaries") : join(home, "pg", "binaries");
}

/** The folder of one home below /var/lib/merkle. */
export function systemAreaOf(home: string): string {
  return join(SYSTEM_FOLDER, createHash("sha256").update(home).digest("hex").slice(0, 16));
}

/** Makes that folder; for root only. */
export async function makeSystemArea(home: string, user: ServerUser): Promise<string> {
  const area = systemAreaOf(home);
  return explainingPath(SYSTEM_FOLDER, async () => {
    await mkdir(SYSTEM_FOLDER, { recursive: true });
    await chmod(SYSTEM_FOLDER, 0o755);
    await makeRootFolder(area);
    if (await canReach(area, user)) return area;
    throw unreachable(area, user);
  });
}

/**
 * Makes a folder that only `user` (without one: we) can enter; fixes its mode and owner when it exists. It is held meanwhile,
 * and a link in its place is refused: root gives nothing away but what lies at this very path. The folders above are root's.
 */
export async function makePrivateFolder(path: string, user: ServerUser | undefined): Promise<void> {
  await makeFolder(path, { mode: 0o700, owner: user, mayBe: user ? [0, user.uid] : undefined });
}

/** A folder of root's that its server's user passes through: what lies in it nobody else exchanges. */
async function makeRootFolder(path: string): Promise<void> {
  await makeFolder(path, { mode: 0o711, owner: { uid: 0, gid: 0 }, mayBe: undefined });
}

interface FolderRights {
  mode: number;
  owner: Pick<ServerUser, "uid" | "gid"> | undefined;
  /** The users that it may have belonged to until now; any unless told. */
  mayBe: readonly number[] | undefined;
}

async function makeFolder(path: string, { mode, owner, mayBe }: FolderRights): Promise<void> {
  const parent = await holdFolder(dirname(path));
  try {
    const folder = await makeHeldFolder(parent, basename(path));
    try {
      if (mayBe && !mayBe.includes(folder.uid)) throw new NotPlainError(`${path} belongs to another user.`);
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

/** As root nothing is made or given away where somebody else could put something in its place meanwhile. */
async function requireRoots(folder: string): Promise<void> {
  const stranger = await findStrangerAbove(folder, { owner: 0 });
  if (!stranger) return;
  throw new EmbeddedPostgresError(
    "home_shared",
    `When Merkle runs as root, its folders must be writable only by root: ${describeStranger(stranger)}`,
  );
}

async function newPlace(home: string, pointer: string): Promise<Place> {
  const user = await serverUserFor(0);
  if (await canReach(dirname(pointer), user)) return { home, data: pointer, area: home, user };

  const area = await makeSystemArea(home, user);
  const data = join(area, "pg", basename(pointer));
  await makeRootFolder(dirname(data));
  await writeFile(join(area, "home"), home);
  await explainingPath(home, () => symlink(data, pointer));
  return { home, data, area, user };
}

async function placeOfPointer(home: string, pointer: string): Promise<Place> {
  const data = await readlink(pointer);
  const area = dirname(dirname(data));
  if (dirname(area) === SYSTEM_FOLDER) {
    // An earlier version gave these to the server's user, who could exchange what lies in them.
    await makeRootFolder(area);
    await makeRootFolder(dirname(data));
  }
  await requireRoots(dirname(data));
  await requireSoleHome(home, pointer, area);
  if (await lstat(data).catch(absent)) return placeOfData({ home, data, area });
  // The first start did not get past initdb, or somebody removed the data.
  return { home, data, area, user: await serverUserFor(0) };
}

async function placeOfData(place: Omit<Place, "user">): Promise<Place> {
  const found = await lstat(place.data);
  if (found.isSymbolicLink()) throw unlinked(place.data);
  const user = await serverUserFor(found.uid);
  const data = await realpath(place.data);
  if (await canWriteTo(data, user)) return { ...place, data, user };
  throw unreachable(data, user);
}

/** A copied home carries the link too; two brokers on one database is what this refuses. A moved home is let through. */
async function requireSoleHome(home: string, pointer: string, area: string): Promise<void> {
  const mark = join(area, "home");
  const owner = await readFile(mark, "utf8").catch(() => home);
  if (owner === home) return;
  const other = join(owner, "pg", basename(pointer));
  if ((await readlink(other).catch(absent)) === (await readlink(pointer))) {
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
    if (codeOf(error) === "ENOENT") return pointer;
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

function absent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
