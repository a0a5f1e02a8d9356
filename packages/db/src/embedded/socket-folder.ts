import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgresError, explainPathErrors } from "./error.js";
import { makePrivateFolder, makeSystemArea, type ServerPaths } from "./place.js";

/**
 * Maximum length of a socket path on all supported systems. macOS has the lowest limit, 104 bytes including
 * the final zero.
 */
const SOCKET_PATH_BYTES_MAX = 103;

/** Returns the name that PostgreSQL gives to the socket file for this port. */
export function toSocketName(port: number): string {
  return `.s.PGSQL.${port}`;
}

/**
 * Creates the folder for the server's socket and returns its path. Only root and the server's user can enter
 * the folder. This is the only access control, because the socket needs no password. The folder is
 * `<home>/run`, or a folder with a name derived from the home if that path is too long for a socket.
 */
export async function makeSocketFolder(paths: ServerPaths, port: number): Promise<string> {
  const folder = join(paths.area, "run");
  if (canHoldSocket(folder, port)) {
    await explainPathErrors(folder, () => makePrivateFolder(folder, paths.user));
    return folder;
  }
  if (paths.user) {
    const short = join(await makeSystemArea(paths.home, paths.user), "run");
    await makePrivateFolder(short, paths.user);
    return short;
  }
  return makeTemporaryFolder(paths.home, port);
}

/**
 * Creates the socket's folder below the system's temporary folder. /run/user is unsuitable, because it is
 * deleted when its owner logs out, while the broker may still be running.
 */
async function makeTemporaryFolder(home: string, port: number): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = toTemporaryFolders(home).find((path) => canHoldSocket(path, port));
  if (folder === undefined || !(await makeOwnFolder(folder, uid))) {
    throw new EmbeddedPostgresError(
      "socket_folder",
      `The path ${home} is too long for a socket, and ${folder ?? tmpdir()} cannot be used instead because it is not private. Set MERKLE_HOME to a shorter path.`,
    );
  }
  return folder;
}

/** Lists the folders that may contain the socket of a home whose path is too long. */
export function toTemporaryFolders(home: string): string[] {
  const uid = process.getuid?.() ?? 0;
  const name = `merkle-${uid}-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  return [...new Set([tmpdir(), "/tmp"])].map((parent) => join(parent, name));
}

/**
 * Creates a folder that only its owner can enter. In a shared folder, another user may already have created
 * one with this name in order to intercept connections.
 */
async function makeOwnFolder(path: string, uid: number): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch {
    const stats = await lstat(path).catch(() => undefined);
    return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
  }
  return true;
}

function canHoldSocket(folder: string, port: number): boolean {
  return Buffer.byteLength(join(folder, toSocketName(port))) <= SOCKET_PATH_BYTES_MAX;
}
