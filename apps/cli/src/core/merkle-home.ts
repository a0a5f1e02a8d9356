import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describeStranger, findStrangerInHome } from "@merkle/db/files";
import { CliError, exitCodes } from "./cli-error.js";

/** The folder of everything that this machine keeps: `MERKLE_HOME`, by default `~/.merkle`. */
export function toMerkleHome(given: string | undefined, cwd: string): string {
  if (given === undefined) return join(homedir(), ".merkle");
  // A service's environment file is read by nobody who would expand this.
  if (given === "~" || given.startsWith("~/")) return join(homedir(), given.slice(1));
  return resolve(cwd, given);
}

export const homeFiles = {
  config: (home: string) => join(home, "config.json"),
  run: (home: string) => join(home, "broker.json"),
  /** The certificate that the home's own broker serves TLS with, for the commands of this machine (TLS-8). */
  certificate: (home: string) => join(home, "certificate.pem"),
  log: (home: string) => join(home, "logs", "broker.log"),
  detachedOutput: (home: string) => join(home, "logs", "up.log"),
  teams: (home: string) => join(home, "teams"),
  /** For each place its keys, and what was sealed and opened with them. */
  sealed: (home: string) => join(home, "sealed"),
  /** The keys of others, as they were seen first or accepted. */
  pins: (home: string) => join(home, "pins"),
  /** The newest signed head of each record that was looked at, and the keys that were believed. */
  seenHeads: (home: string) => join(home, "seen-heads.json"),
  persons: (home: string) => join(home, "persons"),
  /** Where the meshes were met whose credentials are held (CLI-81). */
  meshes: (home: string) => join(home, "meshes"),
  /** The files of projects that a person said are to be used (CLI-82). */
  trusted: (home: string) => join(home, "trusted.json"),
  /** Memberships with their keys. */
  members: (home: string) => join(home, "members"),
  /** The key that the home's own broker takes as a proof that its user asks (PERSON-10). */
  homeKey: (home: string) => join(home, "home-key"),
  /** The page that leads a browser on to a link that signs it in. */
  leadingPage: (home: string) => join(home, "open.html"),
  /** Where the agents of jobs are started. */
  agent: (home: string) => join(home, "agent"),
  /** The same of `merkle runner`, which may run beside the home's broker. */
  runner: (home: string) => join(home, "runner"),
  drafts: (home: string) => join(home, "drafts"),
  launch: (home: string) => join(home, "launch"),
  answers: (home: string) => join(home, "launch", "answers.json"),
  install: (home: string) => join(home, "install"),
  /** The program that `merkle install --cli` copied, and the record of where it put the command. */
  cli: (home: string) => join(home, "cli"),
  /** The certificate of the broker that the CLI was installed from, where no public authority signed it. */
  brokerCertificate: (home: string) => join(home, "broker-certificate.pem"),
};

/**
 * Refuses a home that is not this user's alone: others could act with its credentials, or decide whom they are sent to (CLI-8).
 *
 * @throws CliError `home_shared`, with the command that mends it
 */
export async function requireOwnHome(home: string): Promise<void> {
  const stranger = await findStrangerInHome(home);
  if (!stranger) return;
  throw new CliError(
    "home_shared",
    `The Merkle home must be accessible only to its user: ${describeStranger(stranger)}`,
    {
      exitCode: exitCodes.refused,
      next: stranger.mend === null ? [] : [stranger.mend],
    },
  );
}

/** Runs `work`, which writes below the home, and says in a sentence when it may not. */
export async function explainingHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw cannotWrite("disk_full", `No space is left in ${home}.`, error);
    if (
      code === "EACCES" ||
      code === "EPERM" ||
      code === "EROFS" ||
      code === "ENOTDIR" ||
      code === "EEXIST"
    ) {
      throw cannotWrite("home_read_only", `The Merkle home ${home} cannot be written (${code}).`, error);
    }
    throw error;
  }
}

function cannotWrite(code: string, problem: string, cause: unknown): CliError {
  return new CliError(code, `${problem} Set MERKLE_HOME to a folder that can.`, {
    exitCode: exitCodes.unexpected,
    next: ["merkle doctor"],
    cause,
  });
}
