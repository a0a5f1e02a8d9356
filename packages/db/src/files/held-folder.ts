import { constants, existsSync } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { hasProc } from "./platform.js";

/**
 * A folder that is kept open. If someone replaces the path with a link or another folder, the holder is not
 * affected, because names are resolved in the open folder itself.
 *
 * Linux supports this through `/proc/self/fd`. On other systems, names are resolved by path, and the opened
 * file is then compared with the file at that path. This detects a replacement, unless it was undone in
 * between. Code that must be safe even from the folder's owner has to check `canOpenByHandle`.
 */
export interface OpenFolder {
  /**
   * Path of the folder when it was opened, with all links resolved. Used in messages, and for programs that
   * take a path.
   */
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  /**
   * Returns a path through which this process can access the named file in the folder. If the file is a link,
   * the system follows it unless the caller refuses links.
   */
  toPath(name: string): string;
  /** Opens a subfolder of this folder. Refuses links. */
  openFolder(name: string): Promise<OpenFolder>;
  /** Opens a file in the folder. Refuses links, and does not block on a pipe. */
  open(name: string, flags?: number, mode?: number): Promise<FileHandle>;
  /** Changes the owner of the folder itself. */
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

/** True if this system can keep a folder open, so that replacing the folder's path has no effect. */
export const canOpenByHandle = hasProc() && existsSync("/proc/self/fd");

/**
 * Thrown if a name points outside its held folder, if a path is a link, or if a file was replaced while it
 * was being opened.
 */
export class NotPlainError extends Error {
  override readonly name = "NotPlainError";
}

// On Windows, the last two flags do not exist, a folder cannot be kept open, and `at` returns an ordinary
// path.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/**
 * Opens a folder by its path, following links.
 *
 * @throws system errors, such as ENOENT and ENOTDIR
 */
export async function openFolder(path: string): Promise<OpenFolder> {
  const real = await realpath(path);
  return openByHandle(real, real);
}

/** Creates a folder if it does not exist, accessible only to its owner, and opens it. Refuses links. */
export async function createFolder(parent: OpenFolder, name: string): Promise<OpenFolder> {
  await mkdir(parent.toPath(name), { mode: 0o700 }).catch(ignoreExisting);
  return parent.openFolder(name);
}

/** Opens the folder at a relative path below `top`, one name at a time. Closes the folders in between. */
export async function openFolderBeneath(top: OpenFolder, names: readonly string[]): Promise<OpenFolder> {
  let current = await top.openFolder(".");
  for (const name of names) {
    try {
      const next = await current.openFolder(name);
      await current.close();
      current = next;
    } catch (error) {
      await current.close();
      throw error;
    }
  }
  return current;
}

async function openByHandle(path: string, shown: string): Promise<OpenFolder> {
  if (!canOpenByHandle) return openByPath(path);
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(explainLink(shown));
  const { uid, gid, mode } = await handle.stat();
  const toPath = (name: string) => `/proc/self/fd/${handle.fd}/${requirePlainName(name)}`;
  return {
    ...{ path: shown, uid, gid, mode, toPath },
    openFolder: (name) => openByHandle(toPath(name), name === "." ? shown : join(shown, name)),
    open: (name, flags = O_RDONLY, mode) =>
      open(toPath(name), flags | O_NOFOLLOW | O_NONBLOCK, mode).catch(explainLink(join(shown, name))),
    chown: (uid, gid) => handle.chown(uid, gid),
    chmod: (mode) => handle.chmod(mode),
    close: () => handle.close(),
  };
}

async function openByPath(path: string): Promise<OpenFolder> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new NotPlainError(`${path} is not a folder, or is a link to one.`);
  const toPath = (name: string) => join(path, requirePlainName(name));
  return {
    ...{ path, uid: stats.uid, gid: stats.gid, mode: stats.mode, toPath },
    openFolder: (name) => openByPath(toPath(name)),
    async open(name, flags = O_RDONLY, mode) {
      const handle = await open(toPath(name), flags | O_NOFOLLOW | O_NONBLOCK, mode).catch(
        explainLink(toPath(name)),
      );
      try {
        const [opened, here, now] = [await handle.stat(), await lstat(toPath(name)), await lstat(path)];
        if (opened.ino === here.ino && opened.dev === here.dev && now.ino === stats.ino) return handle;
        throw new NotPlainError(`${toPath(name)} was replaced while it was being opened.`);
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    // Changing the owner is supported only on Linux. On other systems, servers and source roots belong to the
    // broker's own user.
    chown: () =>
      Promise.reject(new NotPlainError(`${path} cannot be given to another user on this operating system.`)),
    chmod: (mode) => chmod(path, mode),
    close: async () => undefined,
  };
}

function requirePlainName(name: string): string {
  if (name !== "" && name !== ".." && !/[/\\\0]/.test(name)) return name;
  throw new NotPlainError(`${JSON.stringify(name)} is not a file name.`);
}

/**
 * Throws a readable error if a link was refused. The system reports ELOOP for a link to a file and ENOTDIR
 * for a link to a folder.
 */
function explainLink(shown: string) {
  return (cause: NodeJS.ErrnoException): never => {
    if (cause.code !== "ELOOP" && cause.code !== "ENOTDIR") throw cause;
    throw new NotPlainError(`${shown} is a link, or is not a folder.`, { cause });
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
