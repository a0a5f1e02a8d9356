import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";

const program = fileURLToPath(new URL("../../bin/merkle.mjs", import.meta.url));

/** A Merkle home of one test, and the built command on it. */
export interface TestMerkle {
  readonly home: string;
  /** Runs a command to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts a command that goes on. */
  start(args: readonly string[], options?: RunOptions): Started;
  /** What `up` wrote down about the broker that runs. */
  running(): Promise<{ pid: number; url: string; port: number }>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  /** Resolves when stdout has this text; rejects when the command ends without it. */
  says(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** The home is removed when the test has finished, and whatever still ran on it is ended. */
export async function testMerkle(): Promise<TestMerkle> {
  const { path: home, remove } = await makeTestHome();
  const start = (args: readonly string[], { env = {}, cwd = home }: RunOptions = {}): Started => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", MERKLE_HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => endNow(child));
    return watch(child);
  };
  const merkle: TestMerkle = {
    home,
    start,
    run: (args, options) => start(args, options).ended,
    async running() {
      return JSON.parse(await readFile(join(home, "broker.json"), "utf8"));
    },
  };
  onTestFinished(async () => {
    if (existsSync(join(home, "broker.json"))) await merkle.run(["down"]);
    await remove();
  });
  return merkle;
}

function watch(child: ChildProcess): Started {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => ({ code, stdout, stderr }));
  return {
    process: child,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => stdout.includes(text) && resolve();
        child.stdout?.on("data", look);
        void ended.then(() => reject(new Error(`It ended without saying "${text}":\n${stdout}${stderr}`)));
        look();
      }),
  };
}

async function endNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}
