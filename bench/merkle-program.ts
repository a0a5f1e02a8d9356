import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** A `merkle` program that can be started. It is part of a checkout or an installed package. */
export interface MerkleProgram {
  readonly kind: "built" | "bundled";
  start(args: readonly string[], home: string): StartedProgram;
  /** Runs the program without input until it ends, and returns its output. */
  run(args: readonly string[], home: string, env: Readonly<Record<string, string>>): Promise<string>;
}

export interface StartedProgram {
  readonly pid: number;
  /** Resolves with the next line of output. Rejects if the program ends without one. */
  nextLine(): Promise<string>;
  write(text: string): void;
  /** Resolves when the program has ended, unless `stop` ended it. */
  readonly ended: Promise<void>;
  /** Interrupts the program, and resolves when it has ended. */
  stop(): Promise<void>;
}

// The path is relative to bench/dist/, from which the compiled file runs.
const checkout = fileURLToPath(new URL("../../", import.meta.url));
const cli = join(checkout, "apps/cli");

/** Runs a file with this Node, with a minimal environment. */
export function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedProgram {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], LANG: "C.UTF-8", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  return watch(child);
}

/** Returns the `merkle` program of this checkout. */
export function getBuiltMerkle(): MerkleProgram {
  return toProgram("built", join(cli, "bin/merkle.mjs"));
}

/** Installs the package as `npm install` would, with its only dependency. */
export async function installBundled(folder: string): Promise<MerkleProgram> {
  // The imported script has no type declarations, so its type is declared here.
  const script = (await import(pathToFileURL(join(cli, "scripts/lay-out.mjs")).href)) as {
    layOutPackage(folder: string): Promise<string>;
  };
  return toProgram("bundled", await script.layOutPackage(await mkdtemp(join(folder, "installed-"))));
}

function toProgram(kind: MerkleProgram["kind"], file: string): MerkleProgram {
  return {
    kind,
    start: (args, home) => startNode([file, ...args], { HOME: home, MERKLE_HOME: home }),
    async run(args, home, env) {
      const options = { env: { PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home, ...env } };
      const running = promisify(execFile)(process.execPath, [file, ...args], options);
      running.child.stdin?.end();
      return (await running).stdout;
    },
  };
}

function watch(child: ChildProcess): StartedProgram {
  let output = "";
  let complaints = "";
  const waiting: (() => void)[] = [];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    for (const checkForLine of waiting) checkForLine();
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaints += chunk;
  });
  // The program may end before it reads its input.
  child.stdin?.on("error", () => undefined);
  const closed = once(child, "close").then(() => undefined);

  function nextLine(): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const end = output.indexOf("\n");
        if (end === -1) return;
        waiting.splice(waiting.indexOf(look), 1);
        resolve(output.slice(0, end));
        output = output.slice(end + 1);
      };
      waiting.push(look);
      void closed.then(() => reject(new Error(`It ended without a further line: ${complaints}`)));
      look();
    });
  }

  return {
    pid: child.pid ?? 0,
    nextLine,
    write: (text) => child.stdin?.write(text),
    ended: closed,
    async stop() {
      child.kill("SIGINT");
      await closed;
    },
  };
}
