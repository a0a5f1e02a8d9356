import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describePermissionProblem, findPermissionProblemInHome } from "@merkle/db/files";
import { CliError, exitCodes } from "./cli-error.js";

/** Returns the folder with all of Merkle's data on this machine: `MERKLE_HOME` (default: `~/.merkle`). */
export function toMerkleHome(setting: string | undefined, cwd: string): string {
  if (setting === undefined) return join(homedir(), ".merkle");
  // Expand the tilde here, because no shell expands it in a service's environment file.
  if (setting === "~" || setting.startsWith("~/")) return join(homedir(), setting.slice(1));
  return resolve(cwd, setting);
}

export const homeFiles = {
  config: (home: string) => join(home, "config.json"),
  run: (home: string) => join(home, "broker.json"),
  /** The TLS certificate of the home's own broker, which commands on this machine trust (TLS-8). */
  certificate: (home: string) => join(home, "certificate.pem"),
  log: (home: string) => join(home, "logs", "broker.log"),
  detachedOutput: (home: string) => join(home, "logs", "up.log"),
  teams: (home: string) => join(home, "teams"),
  /** For each peer, the files that it has received, by the number of the message. */
  files: (home: string) => join(home, "files"),
  /** The keys of each peer, and a history of its private messages. */
  sealed: (home: string) => join(home, "sealed"),
  /** The keys of other peers, as first seen by this machine or accepted by a person. */
  pins: (home: string) => join(home, "pins"),
  /** The newest signed head of each record that this machine has read, with the record's trusted keys. */
  seenHeads: (home: string) => join(home, "seen-heads.json"),
  /** The newest checkpoint of each mesh's log that this machine has checked, with the log's trusted keys. */
  seenLogs: (home: string) => join(home, "seen-logs.json"),
  /** The key with which this machine cosigns checkpoints as a witness. */
  witnessKey: (home: string) => join(home, "witness-key.json"),
  /** How far a witness has read each mesh's log, and the newest head of each session in it. */
  witness: (home: string) => join(home, "witness"),
  /** The evidence of forks that this machine has found. */
  forks: (home: string) => join(home, "forks"),
  persons: (home: string) => join(home, "persons"),
  /** The key with which this home signs its person's own words (OWN-1). */
  deviceKey: (home: string) => join(home, "device-key.json"),
  /** The addresses of the meshes whose credentials are stored (CLI-81). */
  meshes: (home: string) => join(home, "meshes"),
  /** The project files that the user trusts (CLI-82). */
  trusted: (home: string) => join(home, "trusted.json"),
  /** This home's memberships, with the key of each. */
  members: (home: string) => join(home, "members"),
  /** The key that proves to the home's own broker that the caller is the home's user (PERSON-10). */
  homeKey: (home: string) => join(home, "home-key"),
  /** A local page that redirects a browser to a sign-in link. */
  redirectPage: (home: string) => join(home, "open.html"),
  /** The working folder of agents that run jobs. */
  agent: (home: string) => join(home, "agent"),
  /** The working folder of `merkle runner`, separate because a runner can run next to the home's broker. */
  runner: (home: string) => join(home, "runner"),
  drafts: (home: string) => join(home, "drafts"),
  launch: (home: string) => join(home, "launch"),
  answers: (home: string) => join(home, "launch", "answers.json"),
  install: (home: string) => join(home, "install"),
  /** The program copied by `merkle install --cli`, and a record of the command's path. */
  cli: (home: string) => join(home, "cli"),
  /** The certificate of the broker that the CLI was installed from, unless a public authority signed it. */
  brokerCertificate: (home: string) => join(home, "broker-certificate.pem"),
};

/**
 * Refuses a home that other users can access. They could use its credentials, or change the addresses to
 * which the credentials are sent (CLI-8).
 *
 * @throws CliError `home_shared` with the command that fixes the permissions
 */
export async function requireOwnHome(home: string): Promise<void> {
  const otherUser = await findPermissionProblemInHome(home);
  if (!otherUser) return;
  throw new CliError(
    "home_shared",
    `The Merkle home must be accessible only to its user: ${describePermissionProblem(otherUser)}`,
    {
      exitCode: exitCodes.refused,
      next: otherUser.fixCommand === null ? [] : [otherUser.fixCommand],
    },
  );
}

/** Runs `work`, which writes to the home. Explains errors about missing space or permissions. */
export async function explainHomeErrors<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw cannotWrite(
        "disk_full",
        `No space is left in ${home}. Free some space there, or set MERKLE_HOME to a folder on another disk.`,
        error,
      );
    if (
      code === "EACCES" ||
      code === "EPERM" ||
      code === "EROFS" ||
      code === "ENOTDIR" ||
      code === "EEXIST"
    ) {
      throw cannotWrite(
        "home_read_only",
        `The Merkle home ${home} cannot be written (${code}). Set MERKLE_HOME to a folder in which you may write.`,
        error,
      );
    }
    throw error;
  }
}

function cannotWrite(code: string, message: string, cause: unknown): CliError {
  return new CliError(code, message, {
    exitCode: exitCodes.unexpected,
    next: ["merkle doctor"],
    cause,
  });
}
