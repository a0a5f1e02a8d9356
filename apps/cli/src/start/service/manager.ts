import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { formatLaunchdPlist, formatSystemdUnit, launchdLabel, type ServiceFacts } from "./service-files.js";

const run = promisify(execFile);

/** Manages services of a single user with the platform's service manager. */
export interface ServiceManager {
  /** The path of the file that describes the service to the platform. */
  readonly file: string;
  describe(facts: ServiceFacts): string;
  /** The commands, as lists of words, that start and stop the service and show its status and logs. */
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  readonly status: readonly string[];
  readonly logs: readonly string[];
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly uid: number;
  /** The value of `XDG_CONFIG_HOME`. */
  readonly configFolder: string | undefined;
  /** The file for the broker's output on platforms such as launchd, which keep no log. */
  readonly log: string;
}

/**
 * Returns the platform's service manager. @throws CliError `usage` if the platform has neither systemd nor
 * launchd
 */
export function findManager({ platform, userHome, uid, configFolder, log }: Machine): ServiceManager {
  if (platform === "linux") {
    const unit = "merkle.service";
    const systemctl = (...words: string[]) => ["systemctl", "--user", ...words];
    return {
      file: join(configFolder || join(userHome, ".config"), "systemd/user", unit),
      describe: formatSystemdUnit,
      start: [systemctl("daemon-reload"), systemctl("enable", unit), systemctl("restart", unit)],
      stop: [systemctl("disable", "--now", unit)],
      status: systemctl("--no-pager", "status", unit),
      logs: ["journalctl", "--user", "--no-pager", "-n", "200", "-u", unit],
    };
  }
  if (platform === "darwin") {
    const file = join(userHome, "Library/LaunchAgents", `${launchdLabel}.plist`);
    return {
      file,
      describe: formatLaunchdPlist,
      start: [["launchctl", "bootstrap", `gui/${uid}`, file]],
      stop: [["launchctl", "bootout", `gui/${uid}/${launchdLabel}`]],
      status: ["launchctl", "print", `gui/${uid}/${launchdLabel}`],
      logs: ["tail", "-n", "200", log],
    };
  }
  throw usageError(
    `A service needs systemd or launchd, but this is ${platform}. Use its own service manager to run: merkle up`,
  );
}

/**
 * Writes the service file and starts the service. If that fails, restores the previous file.
 *
 * @throws CliError `service_manager` with the output of the service manager's program
 */
export async function installService(manager: ServiceManager, facts: ServiceFacts): Promise<void> {
  const earlier = await readService(manager);
  await mkdir(dirname(manager.file), { recursive: true });
  // A running service must be stopped before it can start with the new file. In systemd, `restart` does both.
  if (earlier !== null && manager.start.length === 1) await stopService(manager);
  await writeFile(manager.file, manager.describe(facts), { mode: 0o644 });
  try {
    for (const words of manager.start) await callManager(words);
  } catch (error) {
    // If the service does not run, do not leave its new file behind.
    await (earlier === null ? uninstallService(manager) : writeFile(manager.file, earlier));
    throw error;
  }
}

export async function uninstallService(manager: ServiceManager): Promise<void> {
  await stopService(manager);
  await rm(manager.file, { force: true });
}

/** Reads the service file. Returns null if it does not exist. */
export async function readService({ file }: ServiceManager): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}

async function stopService(manager: ServiceManager): Promise<void> {
  for (const words of manager.stop) {
    // The service may already be stopped or unknown. Neither is an error, because the service is not running
    // afterwards in either case.
    await callManager(words).catch(() => "");
  }
}

/**
 * Runs a command of the service manager. Returns its output, and whether its exit code means that the service
 * is running.
 */
export async function queryManager(
  words: readonly string[],
): Promise<{ readonly text: string; readonly runs: boolean }> {
  try {
    return { text: await callManager(words), runs: true };
  } catch (error) {
    const text = error instanceof CliError ? toOutput(error.cause).stdout : "";
    // For a stopped service, systemctl prints the status and exits with an error.
    if (text === "") throw error;
    return { text, runs: false };
  }
}

async function callManager([program = "", ...args]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(program, args);
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw missingProgram(program, error);
    const { stdout, stderr } = toOutput(error);
    const why = `${stdout}${stderr}`.trim() || String(error);
    throw new CliError("service_manager", `${[program, ...args].join(" ")} failed: ${why}`, {
      exitCode: exitCodes.unexpected,
      next: /\bbus\b/.test(why) ? missingManagerAdvice : [],
      cause: error,
    });
  }
}

function missingProgram(program: string, cause: unknown): CliError {
  return new CliError("service_manager", `This machine has no ${program}, which merkle service needs.`, {
    exitCode: exitCodes.unexpected,
    next: ["merkle up --detach"],
    cause,
  });
}

/** Advice for a user without a running systemd user instance, for example after `su` or `sudo`. */
const missingManagerAdvice = [
  "log in as this user, or as root: loginctl enable-linger <user>, and then here: export XDG_RUNTIME_DIR=/run/user/$(id -u)",
  "merkle up --detach",
];

/** Returns a failed program's output, which execFile stores in the error. */
function toOutput(error: unknown): { readonly stdout: string; readonly stderr: string } {
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  return { stdout, stderr };
}
