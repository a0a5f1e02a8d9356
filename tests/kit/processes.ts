import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Returns the processes on this machine whose command line contains `text`. */
export async function findProcesses(text: string): Promise<{ pid: number; args: string }[]> {
  const all = process.platform === "linux" ? await listFromProc() : await listFromPs();
  return all.filter(({ args }) => args.includes(text));
}

async function listFromProc(): Promise<{ pid: number; args: string }[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      // The process may have exited since it was listed.
      const args = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return { pid: Number(pid), args: args.replaceAll("\0", " ").trim() };
    }),
  );
}

/** Lists processes with `ps`, which macOS has but Linux systems often lack. */
async function listFromPs(): Promise<{ pid: number; args: string }[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,args="], { maxBuffer: 16 * 1024 * 1024 });
  return stdout
    .split("\n")
    .map((line) => ({ pid: Number.parseInt(line, 10), args: line.trim().replace(/^\d+ /, "") }));
}
