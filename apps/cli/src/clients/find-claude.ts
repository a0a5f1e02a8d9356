import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { readEnvironment } from "../config.js";
import { CliError, exitCodes } from "../core/cli-error.js";

/** Claude Code as it is installed here. */
export interface Claude {
  /** Absolute. */
  readonly path: string;
  /** As it says itself: `2.1.330 (Claude Code)`. */
  readonly version: string;
}

interface ClaudeSources {
  /** `--claude-bin`: a path, or a name to look for on PATH; default `claude`. */
  readonly named?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

const answerWithinMs = 20_000;

/** Finds the program, and lets it tell its version, so that one that cannot run is known before anything is done. */
export async function findClaude(sources: ClaudeSources = {}): Promise<Claude> {
  const { named = "claude", env = readEnvironment().variables, cwd = process.cwd() } = sources;
  const isPath = named.includes("/") || named.includes(sep);
  const path = await (isPath ? firstProgram([resolve(cwd, named)]) : firstProgram(onPath(named, env)));
  if (path === undefined) throw missing(named, isPath);
  return { path, version: await askVersion(path, env) };
}

export const installAdvice = "npm install -g @anthropic-ai/claude-code";

function onPath(name: string, env: NodeJS.ProcessEnv): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((each) => each !== "");
  const file = process.platform === "win32" && !/\.\w+$/.test(name) ? `${name}.exe` : name;
  return folders.map((folder) => resolve(folder, file));
}

async function firstProgram(paths: readonly string[]): Promise<string | undefined> {
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

async function askVersion(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: answerWithinMs, env });
    return stdout.trim().split("\n")[0] ?? "";
  } catch (error) {
    throw new CliError("claude_broken", `${path} is there but cannot run: ${reasonOf(error)}.`, {
      exitCode: exitCodes.unexpected,
      next: [`${path} --version`, "merkle doctor"],
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("killed" in error && error.killed === true) return `no answer within ${answerWithinMs / 1000} s`;
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  const code = "code" in error ? String(error.code) : "";
  return said.split("\n")[0] || (/^\d+$/.test(code) ? `it ended with code ${code}` : code || error.message);
}

function missing(named: string, isPath: boolean): CliError {
  const where = isPath ? "There is no program at" : "Claude Code was not found: no program on PATH is called";
  return new CliError("claude_missing", `${where} ${JSON.stringify(named)}.`, {
    exitCode: exitCodes.unexpected,
    next: [installAdvice, "--claude-bin <path>", "merkle doctor"],
  });
}

/** How an agent of this Claude Code can be woken, as far as its version says (LAUNCH-16). */
interface WakePaths {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Of which version on there would be more, or what else is to be minded; undefined when there is nothing. */
  readonly advice: string | undefined;
}

/** From these versions on; an older one may have some of it, but was not seen to. */
const inboxFrom = "2.1.224";
const hooksFrom = "2.1.330";
const triedFrom = "2.0.0";

/** @param version - as the program says it: `2.1.330 (Claude Code)`; one that cannot be understood is taken for a new one */
export function wakePathsOf(version: string): WakePaths {
  const number = /\d+\.\d+\.\d+/.exec(version)?.[0];
  if (number === undefined) return { paths: ["inbox", "hooks", "wait"], advice: undefined };
  const inbox = isFrom(number, inboxFrom);
  const hooks = isFrom(number, hooksFrom);
  return {
    paths: [...(inbox ? ["inbox" as const] : []), ...(hooks ? ["hooks" as const] : []), "wait"],
    advice: adviceFor(number, { inbox, hooks }),
  };
}

function adviceFor(number: string, { inbox, hooks }: { inbox: boolean; hooks: boolean }): string | undefined {
  if (hooks) return undefined;
  const more = [...(inbox ? [] : [`inbox from ${inboxFrom} on`]), `hooks from ${hooksFrom} on`].join(", ");
  const woken = `Claude Code ${number} is woken by ${inbox ? "inbox and wait" : "wait alone"}; ${more}`;
  return isFrom(number, triedFrom)
    ? woken
    : `${woken}. It is older than 2.0, and may not run with Merkle at all`;
}

function isFrom(version: string, first: string): boolean {
  return version.localeCompare(first, "en", { numeric: true }) >= 0;
}
