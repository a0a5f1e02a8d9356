/**
 * `node scripts/keep-step.mjs <program> [arguments]`, started by `step` as the leader of a process group. Runs the program, and
 * kills the whole group when its own stdin closes. The kernel closes stdin when the parent process ends, even if it was killed.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

process.stdin.on("error", end).on("close", end).resume();

function end() {
  if (process.platform === "win32") child.kill();
  else process.kill(-process.pid, "SIGKILL");
}
