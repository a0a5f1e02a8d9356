import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly call: string;
}

/** Returns the process and all its descendants, starting with the process. */
export async function listTree(pid: number): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)("ps", ["-ewwo", "pid=,ppid=,args="]);
  const all = stdout.split("\n").flatMap((line) => {
    const [, own, parent, call = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), call }];
  });
  const tree = all.filter((each) => each.pid === pid);
  // The loop also visits the processes that it adds, so each process comes after its parent.
  for (const each of tree) tree.push(...all.filter(({ parent }) => parent === each.pid));
  return tree;
}

/** Sends SIGKILL and resolves when the process has exited. */
export async function killProcess(pid: number): Promise<void> {
  send(pid, "SIGKILL");
  await untilGone(pid);
}

export async function untilGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Kills a process and all its descendants. */
export async function endTree(pid: number): Promise<void> {
  const tree = await listTree(pid).catch(() => []);
  for (const each of tree) send(each.pid, "SIGKILL");
  for (const each of tree) await killProcess(each.pid);
}

/** Returns the processor time that the process has used so far. */
export async function readCpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  // On every current Linux, a clock tick is a hundredth of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited, so there is nothing to kill.
  }
}

/** True if the process is running. A zombie does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
