import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { launchdLabel, launchdPlist, type ServiceFacts, systemdUnit } from "./service-files.js";

const run = promisify(execFile);

/** What keeps a user's services on this platform. */
export interface ServiceManager {
  /** The file that describes the service. */
  readonly file: string;
  describe(facts: ServiceFacts): string;
  /** The calls that begin with the file, end it, tell of it and show what it wrote, as words. */
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  readonly status: readonly string[];
  readonly logs: readonly string[];
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly uid: number;
  /** `XDG_CONFIG_HOME`. */
  readonly configFolder: string | undefined;
  /** The broker's own output, for launchd, which keeps none. */
  readonly log: string;
}

/** @throws CliError `usage` on a platform that has neither systemd nor launchd */
export function findManager({ platform, userHome, uid, configFolder, log }: Machine): ServiceManager {
  if (platform === "linux") {
    const unit = "merkle.service";
    const systemctl = (...words: string[]) => ["systemctl", "--user", ...words];
    return {
      file: join(configFolder || join(userHome, ".config"), "systemd/user", unit),
      describe: systemdUnit,
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
      describe: launchdPlist,
      start: [["launchctl", "bootstrap", `gui/${uid}`, file]],
      stop: [["launchctl", "bootout", `gui/${uid}/${launchdLabel}`]],
      status: ["launchctl", "print", `gui/${uid}/${launchdLabel}`],
      logs: ["tail", "-n", "200", log],
    };
  }
  throw usageError(
    `merkle service knows systemd and launchd, and this is ${platform}. Have its own service manager run: merkle up`,
  );
}

/** Writes the file, and begins with it. */
export async function installService(manager: ServiceManager, facts: ServiceFacts): Promise<void> {
  await mkdir(dirname(manager.file), { recursive: true });
  // One that runs by an earlier file ends first; most have none.
  if ((await readService(manager)) !== null && manager.start.length === 1) await stopService(manager);
  await writeFile(manager.file, manager.describe(facts), { mode: 0o644 });
  for (const words of manager.start) await callManager(words);
}

export async function uninstallService(manager: ServiceManager): Promise<void> {
  await stopService(manager);
  await rm(manager.file, { force: true });
}

/** The file's text, or null where there is none. */
export async function readService({ file }: ServiceManager): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}

async function stopService(manager: ServiceManager): Promise<void> {
  for (const words of manager.stop) {
    // It may not run, or not be known any more: what counts is that it does not run then.
    await callManager(words).catch(() => "");
  }
}

/** @throws CliError `service_manager` with what the program wrote */
export async function callManager([program = "", ...args]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(program, args);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }; // execFile adds them.
    const why = `${stdout}${stderr}`.trim() || String(error);
    throw new CliError("service_manager", `${[program, ...args].join(" ")} failed: ${why}`, {
      exitCode: exitCodes.unexpected,
      cause: error,
    });
  }
}
