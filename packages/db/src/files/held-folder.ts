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
 * between. Code that must be safe even from the folder's owner has to check `holdsFolders`.
 */
export interface HeldFolder {
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
  at(name: string): string;
  /** Opens a subfolder of this folder. Refuses links. */
  folder(name: string): Promise<HeldFolder>;
  /** Opens a file in the folder. Refuses links, and does not block on a pipe. */
  open(name: string, flags?: number, mode?: number): Promise<FileHandle>;
  /** Changes the owner of the folder itself. */
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

/** True if this system can keep a folder open, so that replacing the folder's path has no effect. */
export const holdsFolders = hasProc() && existsSync("/proc/self/fd");

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
export async function holdFolder(path: string): Promise<HeldFolder> {
  const real = await realpath(path);
  return hold(real, real);
}

/** Creates a folder if it does not exist, accessible only to its owner, and opens it. Refuses links. */
export async function makeHeldFolder(parent: HeldFolder, name: string): Promise<HeldFolder> {
  await mkdir(parent.at(name), { mode: 0o700 }).catch(unlessThere);
  return parent.folder(name);
}

/** Opens the folder at a relative path below `top`, one name at a time. Closes the folders in between. */
export async function holdBeneath(top: HeldFolder, names: readonly string[]): Promise<HeldFolder> {
  let at = await top.folder(".");
  for (const name of names) {
    try {
      const next = await at.folder(name);
      await at.close();
      at = next;
    } catch (error) {
      await at.close();
      throw error;
    }
  }
  return at;
}

async function hold(path: string, shown: string): Promise<HeldFolder> {
  if (!holdsFolders) return holdByPath(path);
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(explainLink(shown));
  const { uid, gid, mode } = await handle.stat();
  const at = (name: string) => `/proc/self/fd/${handle.fd}/${plain(name)}`;
  return {
    ...{ path: shown, uid, gid, mode, at },
    folder: (name) => hold(at(name), name === "." ? shown : join(shown, name)),
    open: (name, flags = O_RDONLY, mode) =>
      open(at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode).catch(explainLink(join(shown, name))),
    chown: (uid, gid) => handle.chown(uid, gid),
    chmod: (mode) => handle.chmod(mode),
    close: () => handle.close(),
  };
}

async function holdByPath(path: string): Promise<HeldFolder> {
  const found = await lstat(path);
  if (!found.isDirectory()) throw new NotPlainError(`${path} is not a folder, or is a link to one.`);
  const at = (name: string) => join(path, plain(name));
  return {
    ...{ path, uid: found.uid, gid: found.gid, mode: found.mode, at },
    folder: (name) => holdByPath(at(name)),
    async open(name, flags = O_RDONLY, mode) {
      const handle = await open(at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode).catch(explainLink(at(name)));
      try {
        const [opened, here, now] = [await handle.stat(), await lstat(at(name)), await lstat(path)];
        if (opened.ino === here.ino && opened.dev === here.dev && now.ino === found.ino) return handle;
        throw new NotPlainError(`${at(name)} was replaced while it was being opened.`);
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

function plain(name: string): string {
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

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
