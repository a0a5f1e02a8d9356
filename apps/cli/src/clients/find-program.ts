import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { delimiter, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { CliError, exitCodes } from "../core/cli-error.js";
import { findShimScript, toProgramFiles } from "../core/platform.js";
import { readEnvironment } from "../settings/config.js";
import type { Client } from "./client.js";

/** A client's program as installed on this machine. */
export interface InstalledProgram {
  /**
   * Absolute path of the executable. For an npm shim on Windows this is node.exe, and `args` begins with the
   * script.
   */
  readonly path: string;
  readonly args: readonly string[];
  /** The version as printed by the program, such as `2.1.330 (Claude Code)`. */
  readonly version: string;
}

interface ProgramSources {
  /** The path or program name that the user gave, if any. */
  readonly named?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

const answerWithinMs = 20_000;

/**
 * Finds the program and asks for its version, so that a broken program is reported before anything else
 * happens.
 *
 * @throws CliError `client_missing`, `client_broken`
 */
export async function findProgram(client: Client, sources: ProgramSources = {}): Promise<InstalledProgram> {
  const { named = client.program, env = readEnvironment().variables, cwd = process.cwd() } = sources;
  const isPath = named.includes("/") || named.includes(sep);
  const path = await (isPath
    ? findFirstProgram([resolve(cwd, named)])
    : findFirstProgram(listPathCandidates(named, env)));
  if (path === undefined) throw missing(client, named, isPath);
  const program = await resolveShim(path);
  // An agent that the user names may not answer such a call: it reports its version in its session.
  return { ...program, version: client.isDriven ? "" : await readProgramVersion(program, env) };
}

function listPathCandidates(name: string, env: NodeJS.ProcessEnv): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((each) => each !== "");
  return folders.flatMap((folder) => toProgramFiles(name).map((file) => resolve(folder, file)));
}

async function findFirstProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );
}

async function resolveShim(path: string): Promise<Omit<InstalledProgram, "version">> {
  const script = path.endsWith(".cmd") ? findShimScript(path, await readFile(path, "utf8")) : undefined;
  return script === undefined ? { path, args: [] } : { path: process.execPath, args: [script] };
}

async function readProgramVersion(
  { path, args }: Omit<InstalledProgram, "version">,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, [...args, "--version"], {
      timeout: answerWithinMs,
      env,
    });
    return stdout.trim().split("\n")[0] ?? "";
  } catch (error) {
    throw new CliError("client_broken", `${path} exists but cannot run: ${describeRunError(error)}.`, {
      exitCode: exitCodes.unexpected,
      next: [`${path} --version`, "merkle doctor"],
      cause: error,
    });
  }
}

function describeRunError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("killed" in error && error.killed === true) return `no answer within ${answerWithinMs / 1000} s`;
  const errorOutput = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  const code = "code" in error ? String(error.code) : "";
  return (
    errorOutput.split("\n")[0] || (/^\d+$/.test(code) ? `it exited with code ${code}` : code || error.message)
  );
}

function missing(client: Client, named: string, isPath: boolean): CliError {
  const { label, installAdvice } = client;
  const where = isPath ? "There is no program at" : `${label} was not found: no program on PATH is called`;
  return new CliError("client_missing", `${where} ${JSON.stringify(named)}.`, {
    exitCode: exitCodes.unexpected,
    next: [
      installAdvice,
      ...(client.isDriven ? [] : ["--client-bin <path>"]),
      ...["another client: merkle help launch", "merkle doctor"],
    ],
  });
}

/** Returns the number in a version string that a program prints. Undefined if there is none. */
export function findVersionNumber(version: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(version)?.[0];
}

/**
 * Returns whether a version string names version `first` or a later version. A string without a version
 * number counts as recent.
 */
export function isAtLeast(version: string, first: string): boolean {
  const number = findVersionNumber(version);
  return number === undefined || number.localeCompare(first, "en", { numeric: true }) >= 0;
}
