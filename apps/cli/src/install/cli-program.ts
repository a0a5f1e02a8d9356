import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createLauncherScript } from "../clients/launcher-script.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { isPosix } from "../core/platform.js";
import { readPrivateJson, writePrivateJson } from "../core/private-file.js";
import { replaceFile } from "../core/replace-file.js";
import { getEntryFile, readVersion } from "../core/this-program.js";
import { getLauncherPath, launcherMark } from "../core/user-launcher.js";
import { writeConfigValue } from "../settings/config-file.js";

/** The user's `merkle` command as installed by `merkle install --cli`. */
export interface InstalledCli {
  /** The path of the script on the PATH. */
  readonly launcher: string;
  /** The file that the launcher script runs with Node. */
  readonly program: string;
  readonly version: string;
  /**
   * The broker from which the program was downloaded. Null for a checkout or an npm package, which is not
   * copied.
   */
  readonly from: string | null;
  /** The topmost folder that was created for the launcher. Undefined if all folders already existed. */
  readonly madeFolder?: string | undefined;
}

export interface InstallCliOptions {
  readonly home: string;
  /**
   * The broker that served this program. If set, the program is copied into the home and the broker's address
   * is stored.
   */
  readonly from?: string | undefined;
  /**
   * The broker's certificate file, if no public authority signed the certificate. The file is copied, and the
   * certificate is trusted.
   */
  readonly ca?: string | undefined;
}

/**
 * Installs `merkle` in `~/.local/bin` for the current user. Changes only that file and the Merkle home.
 *
 * @throws CliError `conflict` if the path already contains a file that merkle did not write
 */
export async function installCli({ home, from, ca }: InstallCliOptions): Promise<InstalledCli> {
  if (!isPosix()) throw needsNpm(from);
  const launcher = getLauncherPath();
  await refuseForeignFile(launcher);
  const previous = readInstalledCli(home);
  const program = from === undefined ? getEntryFile() : await copyProgram(home);
  const madeFolder = (await mkdir(dirname(launcher), { recursive: true })) ?? previous?.madeFolder;
  await replaceFile(launcher, createLauncherScript({ program, mark: launcherMark }), 0o755);
  const installed = { launcher, program, version: readVersion(), from: from ?? null, madeFolder };
  writePrivateJson(toRecordPath(home), installed);
  await removeOldCopies(home, [program, previous?.program]);
  if (from !== undefined) await saveBrokerSettings(home, from, ca);
  return installed;
}

/**
 * Removes everything that `installCli` wrote, except the stored broker address. Returns null if nothing is
 * installed.
 */
export async function removeCli(home: string): Promise<InstalledCli | null> {
  const installed = readInstalledCli(home);
  if (!installed) return null;
  if (await isOurs(installed.launcher)) await rm(installed.launcher, { force: true });
  if (installed.madeFolder !== undefined)
    await removeEmpty(dirname(installed.launcher), installed.madeFolder);
  await rm(homeFiles.cli(home), { recursive: true, force: true });
  return installed;
}

/** Removes an empty folder, then its empty parents up to `last`. */
async function removeEmpty(folder: string, last: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch {
    // The folder is not empty or no longer exists.
    return;
  }
  if (folder !== last) await removeEmpty(dirname(folder), last);
}

export function readInstalledCli(home: string): InstalledCli | undefined {
  // The record is not validated, because only merkle writes it, in a home that belongs to the user.
  return readPrivateJson(toRecordPath(home)) as InstalledCli | undefined;
}

function toRecordPath(home: string): string {
  return join(homeFiles.cli(home), "installed.json");
}

async function refuseForeignFile(launcher: string): Promise<void> {
  if (!existsSync(launcher) || (await isOurs(launcher))) return;
  throw new CliError("conflict", `${launcher} exists, and merkle did not write it. Nothing was changed.`, {
    exitCode: exitCodes.refused,
    next: [`remove or rename ${launcher}, then install again`],
  });
}

async function isOurs(launcher: string): Promise<boolean> {
  const text = await readFile(launcher, "utf8").catch(() => "");
  return text.includes(launcherMark);
}

/**
 * Copies this package to a new folder in the home. Programs that are already running keep using their own
 * copy.
 */
async function copyProgram(home: string): Promise<string> {
  const entry = getEntryFile();
  const folder = join(homeFiles.cli(home), `${readVersion()}-${randomUUID().slice(0, 8)}`);
  await explainHomeErrors(home, async () => {
    await mkdir(homeFiles.cli(home), { recursive: true, mode: 0o700 });
    await cp(dirname(dirname(entry)), folder, { recursive: true });
  });
  return join(folder, "bin", basename(entry));
}

/**
 * Removes old copies of the program, except the current one and its predecessor, which may still be running.
 */
async function removeOldCopies(home: string, programs: readonly (string | undefined)[]): Promise<void> {
  const keptFolders = programs.flatMap((program) =>
    program === undefined ? [] : [dirname(dirname(program))],
  );
  for (const entry of await readdir(homeFiles.cli(home), { withFileTypes: true })) {
    const folder = join(homeFiles.cli(home), entry.name);
    if (entry.isDirectory() && !keptFolders.includes(folder))
      await rm(folder, { recursive: true, force: true });
  }
}

async function saveBrokerSettings(home: string, from: string, ca: string | undefined): Promise<void> {
  const config = homeFiles.config(home);
  await writeConfigValue(config, "mcp_url", from);
  if (ca === undefined) return;
  const certificate = homeFiles.brokerCertificate(home);
  await writeFile(certificate, await readFile(ca), { mode: 0o600 });
  await writeConfigValue(config, "ca", certificate);
}

function needsNpm(from: string | undefined): CliError {
  return new CliError(
    "unsupported",
    "merkle install --cli writes a shell script, which Windows does not run.",
    {
      exitCode: exitCodes.refused,
      next: [`npm install -g ${from === undefined ? "<broker>" : from}/cli.tgz`],
    },
  );
}
