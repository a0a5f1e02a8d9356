import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { CompanionCall } from "../clients/client.js";
import type { InstalledProgram } from "../clients/find-program.js";

interface CompanionProcess {
  /** Whether the process was accepting connections in time. */
  readonly isReady: boolean;
  stop(): Promise<void>;
}

const startTimeoutMs = 10_000;
const pollMs = 25;
/** How long the process may take to exit before it is killed. */
const exitTimeoutMs = 2_000;

/**
 * Starts a second process, to which a client connects. The second process also ends if this process is
 * killed: a shell between them waits for the pipe from this process to close.
 *
 * The second process gets no time to finish a turn, because a client that then resumes the conversation would
 * not see the rest of that turn.
 */
export async function runCompanion(
  program: Pick<InstalledProgram, "path" | "args">,
  { args, socket }: CompanionCall,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<CompanionProcess> {
  await rm(socket, { force: true });
  const script =
    '"$@" >/dev/null 2>&1 </dev/null & ran=$!; read -r _; kill $ran; { sleep 1; kill -KILL 0; } & wait $ran';
  // A separate process group is not interrupted by the terminal, and can be killed as a whole.
  const shell = spawn("sh", ["-c", script, "sh", program.path, ...program.args, ...args], {
    env,
    cwd,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  // Writing to a shell that has already exited fails, which is harmless.
  shell.stdin.on("error", () => undefined);
  await waitForSocket(shell, socket);
  return {
    isReady: existsSync(socket),
    async stop() {
      shell.stdin.end();
      await Promise.race([waitForExit(shell), delay(exitTimeoutMs)]);
      shell.kill("SIGKILL");
      await rm(socket, { force: true });
    },
  };
}

async function waitForSocket(shell: ChildProcess, socket: string): Promise<void> {
  const until = performance.now() + startTimeoutMs;
  while (!existsSync(socket) && shell.exitCode === null && performance.now() < until) await delay(pollMs);
}

async function waitForExit(shell: ChildProcess): Promise<void> {
  if (shell.exitCode === null && shell.signalCode === null) await once(shell, "exit");
}
