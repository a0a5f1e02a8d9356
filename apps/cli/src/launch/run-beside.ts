import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { BesideCall } from "../clients/client.js";
import type { FoundProgram } from "../clients/find-program.js";

interface Beside {
  /** Whether it can be connected to. */
  readonly isThere: boolean;
  stop(): Promise<void>;
}

const comesWithinMs = 10_000;
const pollMs = 25;
/** How long it may take to end by itself. */
const endsWithinMs = 2_000;

/**
 * Starts the process that a client is to be connected to. It ends with this one, however that ends: a shell between them
 * waits for the end of the pipe that this process holds. One that would finish its turn first is not waited for: what it
 * did then, the client that goes on in the same conversation would not know of.
 */
export async function runBeside(
  program: Pick<FoundProgram, "path" | "args">,
  { args, socket }: BesideCall,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<Beside> {
  await rm(socket, { force: true });
  const script =
    '"$@" >/dev/null 2>&1 </dev/null & ran=$!; read -r _; kill $ran; { sleep 1; kill -KILL 0; } & wait $ran';
  // In a group of its own, which the terminal does not interrupt, and which can be killed as a whole.
  const shell = spawn("sh", ["-c", script, "sh", program.path, ...program.args, ...args], {
    env,
    cwd,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  // One that has ended takes nothing more.
  shell.stdin.on("error", () => undefined);
  await untilThere(shell, socket);
  return {
    isThere: existsSync(socket),
    async stop() {
      shell.stdin.end();
      await Promise.race([ended(shell), delay(endsWithinMs)]);
      shell.kill("SIGKILL");
      await rm(socket, { force: true });
    },
  };
}

async function untilThere(shell: ChildProcess, socket: string): Promise<void> {
  const until = performance.now() + comesWithinMs;
  while (!existsSync(socket) && shell.exitCode === null && performance.now() < until) await delay(pollMs);
}

async function ended(shell: ChildProcess): Promise<void> {
  if (shell.exitCode === null && shell.signalCode === null) await once(shell, "exit");
}
