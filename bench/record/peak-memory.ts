import { readFile, writeFile } from "node:fs/promises";

/** Forgets how much memory a process held at most until now; false where the system does not tell. */
export async function forgetPeak(pid: number): Promise<boolean> {
  return writeFile(`/proc/${pid}/clear_refs`, "5").then(
    () => true,
    () => false,
  );
}

/** How many bytes a process held at most since then. */
export async function readPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
