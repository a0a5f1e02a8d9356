import { createHash } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, EmbeddedPostgresError, explainingPath } from "./error.js";
import type { ServerUser } from "./run-program.js";
import { canWriteTo, isRoot, requireNamedUser, serverUserFor } from "./server-user.js";

/** Where a root-run server keeps what its user cannot reach in the home. */
const SYSTEM_FOLDER = "/var/lib/merkle";

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
  await explainingPath(home, () => mkdir(join(home, "pg"), { recursive: true, mode: 0o700 }));

  if (!isRoot()) {
    requireNamedUser();
    return { home, data: await resolveOwn(pointer), area: home, user: undefined };
  }
  const found = await lstat(pointer).catch(absent);
  if (found?.isSymbolicLink()) return placeOfPointer(home, pointer);
  if (found) return placeOfData({ home, data: pointer, area: home });
  return newPlace(home, pointer);
}

/** Where copies of the binaries go. Root's lie in one place that every user can read, and only root can write. */
export function binaryCopies(home: string): string {
  return isRoot() ? join(SYSTEM_FOLDER, "binaries") : join(home, "pg", "binaries");
}

/** The folder of a home's own below /var/lib/merkle; for root only. */
export async function makeSystemArea(home: string, user: ServerUser): Promise<string> {
  const name = createHash("sha256").update(home).digest("hex").slice(0, 16);
  const area = join(SYSTEM_FOLDER, name);
  return explainingPath(SYSTEM_FOLDER, async () => {
    await mkdir(SYSTEM_FOLDER, { recursive: true });
    await chmod(SYSTEM_FOLDER, 0o755);
    await makePrivateFolder(area, user);
    if (await canWriteTo(area, user)) return area;
    throw unreachable(area, user);
  });
}

/** Makes a folder that only `user` (without one: we) can enter; fixes its mode and owner when it exists. */
export async function makePrivateFolder(path: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (user) await chown(path, user.uid, user.gid);
}

async function newPlace(home: string, pointer: string): Promise<Place> {
  const user = await serverUserFor((await stat(home)).uid);
  await makePrivateFolder(dirname(pointer), user);
  if (await canWriteTo(dirname(pointer), user)) return { home, data: pointer, area: home, user };

  // Our own again: the server's user has no business in a folder that it cannot reach.
  await chown(dirname(pointer), 0, 0);
  const area = await makeSystemArea(home, user);
  const data = join(area, "pg", pointer.slice(dirname(pointer).length + 1));
  await makePrivateFolder(dirname(data), user);
  await writeFile(join(area, "home"), home);
  await explainingPath(home, () => symlink(data, pointer));
  return { home, data, area, user };
}

async function placeOfPointer(home: string, pointer: string): Promise<Place> {
  const data = await readlink(pointer);
  const area = dirname(dirname(data));
  await requireSoleHome(home, pointer, area);
  if (await lstat(data).catch(absent)) return placeOfData({ home, data, area });
  // The first start did not get past initdb, or somebody removed the data.
  const user = await serverUserFor(0);
  await makePrivateFolder(area, user);
  await makePrivateFolder(dirname(data), user);
  return { home, data, area, user };
}

async function placeOfData(place: Omit<Place, "user">): Promise<Place> {
  const user = await serverUserFor((await stat(place.data)).uid);
  const data = await realpath(place.data);
  if (await canWriteTo(data, user)) return { ...place, data, user };
  throw unreachable(data, user);
}

/** A copied home carries the link too; two brokers on one database is what this refuses. A moved home is let through. */
async function requireSoleHome(home: string, pointer: string, area: string): Promise<void> {
  const mark = join(area, "home");
  const owner = await readFile(mark, "utf8").catch(() => home);
  if (owner === home) return;
  const other = join(owner, "pg", pointer.slice(dirname(pointer).length + 1));
  if ((await readlink(other).catch(absent)) === (await readlink(pointer))) {
    throw new EmbeddedPostgresError(
      "home_copied",
      `${home} is a copy of ${owner} and leads to the same database in ${area}. Use ${owner}, or delete ${pointer} to begin an empty database here.`,
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
      `${pointer} cannot be reached by this user; it was made when Merkle ran as root. Run Merkle as root again, or use another MERKLE_HOME.`,
      { cause: error },
    );
  }
}

function unreachable(path: string, user: ServerUser): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "home_unreachable",
    `The user "${user.name}", as which PostgreSQL runs because it refuses root, cannot write to ${path}. Let it pass through the folders above (chmod a+x), or use another MERKLE_HOME.`,
  );
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
