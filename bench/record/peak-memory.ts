import { readFile, writeFile } from "node:fs/promises";

/** Resets the peak memory of a process. Returns false if the system does not support this. */
export async function forgetPeak(pid: number): Promise<boolean> {
  return writeFile(`/proc/${pid}/clear_refs`, "5").then(
    () => true,
    () => false,
  );
}

/** Returns the peak memory of a process since the reset, in bytes. */
export async function readPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
