import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { ClaudeRunnerOptions } from "../../apps/cli/src/features/jobs/runner/claude-runner.js";
import type { Cleanup } from "../kit/test-database.js";

/** A folder with a program that stands in for Claude Code. */
export interface StagedAgent {
  readonly folder: string;
  readonly program: string;
  /** Reads a file that the program wrote to its folder. */
  read(name: string): Promise<string>;
  /** Writes a file to the program's folder. */
  write(name: string, text: string): Promise<void>;
  /** Returns the running processes that name the folder in their command line or environment. */
  processes(): Promise<string[]>;
}

/** Writes the program. The folder is available to its script as `$here`, and is removed at the end of the test. */
export async function stageAgent(script: string, cleanup: Cleanup = onTestFinished): Promise<StagedAgent> {
  const top = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  const folder = join(top, "agent");
  await mkdir(folder);
  const program = join(top, "claude");
  const draft = join(top, "draft");
  await writeFile(draft, `#!/bin/sh\nhere=${folder}\n${script}\n`);
  await chmod(draft, 0o755);
  // Another process makes the copy. If this process wrote the program, a child started at the same time would inherit
  // the open file, and Linux does not execute a file that is open for writing.
  await promisify(execFile)("cp", [draft, program]);
  cleanup(() => rm(top, { recursive: true, force: true }));
  return {
    folder,
    program,
    read: (name) => readFile(join(folder, name), "utf8"),
    write: (name, text) => writeFile(join(folder, name), text),
    processes: () => findProcesses(top),
  };
}

/** Returns the runner's default options for this program. */
export function toRunnerOptions({ program, folder }: StagedAgent): ClaudeRunnerOptions {
  return {
    claudeBin: program,
    agentCommand: "/usr/bin/node /opt/merkle.mjs agent",
    folder,
    logFolder: undefined,
    skipPermissions: false,
    environment: [],
  };
}

async function findProcesses(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all(
        ["cmdline", "environ"].map((file) => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "")),
      );
      return `${command}\n${environment}`.includes(text)
        ? `${pid} ${command?.replaceAll("\0", " ")}`
        : undefined;
    }),
  );
  return found.filter((each) => each !== undefined);
}
