import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { CliError, exitCodes } from "../../core/cli-error.js";

/** A file that is open for reading, so that nothing can take its place before it is sent. */
export interface OpenFile {
  /** The path as the caller wrote it. */
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly handle: FileHandle;
}

/** Where the files that an agent attaches may be. */
export interface AgentFolders {
  /** The folder in which the agent works. Relative paths start here. */
  readonly project: string;
  /** The files that the peer has received, which it may pass on. Undefined if the agent acts as no peer. */
  readonly received?: string | undefined;
  /** The Merkle home, whose other files are never attached, even if the project folder contains the home. */
  readonly home: string;
}

/**
 * Opens a file that a person attaches.
 *
 * @throws CliError `unreadable` if there is no regular file at the path or it cannot be read
 */
export async function openFile(path: string, cwd: string): Promise<OpenFile> {
  return openRegular(path, await findTarget(path, cwd));
}

/**
 * Opens a file that an agent attaches (ATTACH-24). A message that the agent has read can ask for any file of its user. So
 * only files that the agent works on are opened: those in its project folder, and those that the peer has received.
 * Links are followed before the check.
 *
 * @throws CliError `forbidden` if the file is elsewhere or hidden; `unreadable` as in `openFile`
 */
export async function openAgentFile(path: string, folders: AgentFolders): Promise<OpenFile> {
  const target = await findTarget(path, folders.project);
  await requireAllowed(path, target, folders);
  const file = await openRegular(path, target);
  // The check was of a path. The file that is open now must still be at that path.
  if ((await realpath(target).catch(() => null)) === target) return file;
  await file.handle.close();
  throw forbidden(path, "it was replaced while it was opened");
}

async function requireAllowed(path: string, target: string, folders: AgentFolders): Promise<void> {
  const { project, received, home } = folders;
  if (received !== undefined && isInside(target, await follow(received))) return;
  if (isInside(target, await follow(home))) throw forbidden(path, "it is in the Merkle home");
  const root = await follow(project);
  // An agent that was started in its user's home folder would have access to everything in it.
  if (isInside(await follow(homedir()), root))
    throw forbidden(path, `the agent was not started in a project's folder, but in ${project}`);
  if (!isInside(target, root)) throw forbidden(path, `it is outside the project folder ${project}`);
  const hidden = relative(root, target)
    .split(sep)
    .find((part) => part.startsWith("."));
  if (hidden !== undefined) throw forbidden(path, `${hidden} is hidden, as files with secrets usually are`);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Follows all links. A folder that does not exist contains nothing, so its path is returned unchanged. */
async function follow(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

async function findTarget(path: string, cwd: string): Promise<string> {
  return realpath(resolve(cwd, path)).catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

async function openRegular(path: string, target: string): Promise<OpenFile> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(target, flags).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const stats = await handle.stat();
  if (stats.isFile()) return { path, name: basename(target), size: stats.size, handle };
  await handle.close();
  throw unreadable(path, stats.isDirectory() ? "it is a folder" : "it is not a regular file");
}

function unreadable(path: string, reason: unknown): CliError {
  const { code } = Object(reason);
  const text =
    code === "ENOENT" ? "there is no such file" : typeof reason === "string" ? reason : (code ?? reason);
  return new CliError("unreadable", `${path} cannot be attached: ${text}.`, { exitCode: exitCodes.refused });
}

function forbidden(path: string, reason: string): CliError {
  return new CliError(
    "forbidden",
    `${path} was not attached: ${reason}. An agent can attach only files in its project folder and files that it has received. A human can attach any file with: merkle post --file`,
    { exitCode: exitCodes.refused },
  );
}
