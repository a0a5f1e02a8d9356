/**
 * `node scripts/keep-step.mjs <program> [arguments]`, run by `step` as the leader of a process group: runs the program, and ends the whole
 * group when our stdin closes. The kernel closes it when the process that started us is gone, however that one was killed.
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
