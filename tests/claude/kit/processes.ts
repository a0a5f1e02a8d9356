import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly call: string;
}

/** The process and all that it started, itself first. */
export async function treeOf(pid: number): Promise<Running[]> {
  const { stdout } = await promisify(execFile)("ps", ["-ewwo", "pid=,ppid=,args="]);
  const all = stdout.split("\n").flatMap((line) => {
    const [, own, parent, call = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), call }];
  });
  const tree = all.filter((each) => each.pid === pid);
  // It grows while it is gone through, and each comes after its parent.
  for (const each of tree) tree.push(...all.filter(({ parent }) => parent === each.pid));
  return tree;
}

/** SIGKILL, and resolves when it is gone. */
export async function killProcess(pid: number): Promise<void> {
  send(pid, "SIGKILL");
  await untilGone(pid);
}

export async function untilGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Kills a process and all that it started. */
export async function endTree(pid: number): Promise<void> {
  const tree = await treeOf(pid).catch(() => []);
  for (const each of tree) send(each.pid, "SIGKILL");
  for (const each of tree) await killProcess(each.pid);
}

/** The processor time that it has used until now. */
export async function cpuMsOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  // In hundredths of a second on every Linux of today.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Whether it runs: one that has ended and that nobody has asked after does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
