import { homedir } from "node:os";
import { packageName } from "@merkle/wire/text";
import { toServiceScriptPath } from "../../clients/launcher-script.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { homeFiles } from "../../core/merkle-home.js";
import { getSystem } from "../../core/platform.js";
import { runsFromNpx } from "../../core/this-program.js";
import { type Config, readEnvironment } from "../../settings/config.js";
import { findManager, queryManager, readService, type ServiceManager } from "../../start/service/manager.js";
import type { ServiceFacts } from "../../start/service/service-files.js";

/** Returns this machine's service manager, configured for the current user. */
export function getServiceManager({ home }: Pick<Config, "home">): ServiceManager {
  return findManager({
    platform: getSystem(),
    userHome: homedir(),
    uid: process.getuid?.() ?? 0,
    configFolder: readEnvironment().variables["XDG_CONFIG_HOME"],
    log: homeFiles.detachedOutput(home),
  });
}

/**
 * Returns what the service manager prints about the service, and the path of the service's file.
 *
 * @throws CliError `not_found` if no service is installed
 */
export async function queryService(
  config: Pick<Config, "home">,
  about: "status" | "logs",
): Promise<{ readonly file: string; readonly text: string; readonly runs: boolean }> {
  const manager = getServiceManager(config);
  if ((await readService(manager)) === null)
    throw new CliError("not_found", "This user has no Merkle service.", {
      exitCode: exitCodes.not_found,
      next: ["merkle service install"],
    });
  return { file: manager.file, ...(await queryManager(manager[about])) };
}

/**
 * Describes the service. @throws CliError `usage` if this program runs from npx's cache, which may be deleted
 */
export function getServiceFacts({ home }: Pick<Config, "home">, upFlags: readonly string[]): ServiceFacts {
  if (runsFromNpx()) {
    throw usageError(
      `npx may delete the program that a service would run. Install it: npm install -g ${packageName}`,
      "merkle service install",
    );
  }
  return {
    command: [toServiceScriptPath(home), "up", ...upFlags],
    home,
    path: readEnvironment().path ?? "/usr/local/bin:/usr/bin:/bin",
    log: homeFiles.detachedOutput(home),
  };
}
