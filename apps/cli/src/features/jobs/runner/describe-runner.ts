import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import type { RunnerFacts } from "./broker-code.js";
import { toChildEnvironment } from "./child-environment.js";
import type { Containment } from "./containment.js";
import { findOnPath } from "./find-on-path.js";

interface DescribableRunner {
  /** The Claude Code program: a path, or a name to find on PATH. */
  readonly claudeBin: string;
  readonly skipPermissions: boolean;
  /** Names of further environment variables to pass to agents. */
  readonly environment: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly processesMax: number;
  readonly getContainmentKind: () => Promise<Containment["kind"]>;
}

/**
 * Returns a function that describes the runner for people. Each call looks up the program, and reads its
 * version again if the file has changed.
 */
export function createDescription(runner: DescribableRunner): () => Promise<RunnerFacts> {
  let cached: { readonly file: string; readonly version: Promise<Version> } | undefined;

  async function findVersion(): Promise<Version> {
    const path = await findOnPath(runner.claudeBin, { path: runner.env["PATH"] });
    if (path === undefined) {
      const problem = `No program ${JSON.stringify(runner.claudeBin)} can be run here. Install Claude Code, or name it as agent.claude_bin in config.json.`;
      return { version: null, problem };
    }
    const { mtimeMs, size } = await stat(path);
    const file = `${path} ${mtimeMs} ${size}`;
    if (cached?.file !== file) cached = { file, version: askVersion(path, runner) };
    return cached.version;
  }

  return async () => ({
    host: hostname(),
    program: runner.claudeBin,
    ...(await findVersion()),
    containment: await runner.getContainmentKind(),
    permissions: runner.skipPermissions ? "skipped" : "listed",
    processes_max: runner.processesMax,
  });
}

type Version = Pick<RunnerFacts, "version" | "problem">;

const versionTimeoutMs = 10_000;
const versionCharsMax = 100;

/** Runs the program to get its version, with an agent's environment but without any job's credentials. */
async function askVersion(path: string, { env, environment }: DescribableRunner): Promise<Version> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], {
      env: toChildEnvironment(env, { names: environment, given: {} }),
      timeout: versionTimeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 1024,
    });
    const [line = ""] = stdout.trim().split("\n");
    if (line === "") return { version: null, problem: `${path} does not report its version.` };
    return { version: line.slice(0, versionCharsMax), problem: null };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { version: null, problem: `${path} could not be run: ${reason.slice(0, 300)}` };
  }
}
