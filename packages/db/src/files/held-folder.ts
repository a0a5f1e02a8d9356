import { constants, existsSync } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { hasProc } from "./platform.js";

/**
 * A folder that is held open. Whoever exchanges its path for a link, or for another folder, changes nothing for its holder: a
 * name below it is looked up in the folder itself.
 *
 * Linux offers that to every program under `/proc/self/fd`. Elsewhere names are looked up by path, and what was opened is
 * compared with what the path leads to then: that finds an exchange which lasted, not one that was taken back in between.
 * Whoever must withstand the owner of a folder has to ask `holdsFolders`.
 */
export interface HeldFolder {
  /** Where it was when it was opened, with all links resolved: for messages, and for programs that are told a path. */
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  /** The path by which this process names something in the folder. Of the name itself a link is followed by whoever does not refuse it. */
  at(name: string): string;
  /** Opens a folder in it; a link is refused. */
  folder(name: string): Promise<HeldFolder>;
  /** Opens a file in it; a link is refused, and a pipe is not waited for. */
  open(name: string, flags?: number, mode?: number): Promise<FileHandle>;
  /** Gives the folder itself to somebody. */
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

/** Whether this system lets a folder be held, so that nobody's exchange of a path is followed. */
export const holdsFolders = hasProc() && existsSync("/proc/self/fd");

/** A name in a held folder leads out of it, or what was opened is not what lies there. */
export class NotPlainError extends Error {
  override readonly name = "NotPlainError";
}

// Windows knows neither of the last two; there no folder can be held, and `at` is a path.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/**
 * Holds a folder by its path, of which links are followed.
 *
 * @throws the system's errors, such as ENOENT and ENOTDIR
 */
export async function holdFolder(path: string): Promise<HeldFolder> {
  const real = await realpath(path);
  return hold(real, real);
}

/** Makes a folder if there is none, for its owner alone, and holds what lies there; a link is refused. */
export async function makeHeldFolder(parent: HeldFolder, name: string): Promise<HeldFolder> {
  await mkdir(parent.at(name), { mode: 0o700 }).catch(unlessThere);
  return parent.folder(name);
}

/** Holds the folder at these names below another one, and closes those on the way. */
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
    // Only Linux has servers and roots of another user than the broker's.
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

/** ELOOP of a link to a file; ENOTDIR of one to a folder. */
function explainLink(shown: string) {
  return (cause: NodeJS.ErrnoException): never => {
    if (cause.code !== "ELOOP" && cause.code !== "ENOTDIR") throw cause;
    throw new NotPlainError(`${shown} is a link, or is not a folder.`, { cause });
  };
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
