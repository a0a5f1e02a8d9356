import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { access, chmod, mkdtemp, readFile, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const memory = "/dev/shm";
const bytesMin = 4 * 1024 ** 3;

/** The only folder that a test run writes to. A guard process ensures that nothing outlives the run. */
export interface RunFolder {
  readonly path: string;
  /**
   * Removes the folder, ends remaining processes, and returns one line for each leftover that a test should have
   * removed.
   */
  remove(): Promise<string[]>;
}

/**
 * Creates this run's folder and sets TMPDIR to it. Every process started here inherits TMPDIR, so the folder's name
 * marks a process as part of this run. The folder is in memory if there is enough space, because short-lived databases
 * take twice as long on a disk. If this process is killed, the guard cleans up.
 *
 * @param vitestFolder - a folder that vitest removes at its end, unless vitest is killed
 */
export async function makeRunFolder(vitestFolder: string): Promise<RunFolder> {
  const path = await mkdtemp(join((await isMemoryFit()) ? memory : tmpdir(), "merkle-run-"));
  // Anyone may write, as in /tmp, because other users' servers and programs use this folder too.
  await chmod(path, 0o1777);
  // The guard is started before TMPDIR is set. Otherwise it would look like one of the run's processes.
  const guard = spawn(
    process.execPath,
    [fileURLToPath(new URL("run-guard.mjs", import.meta.url)), path, String(process.pid), vitestFolder],
    { detached: true, stdio: ["pipe", "pipe", "inherit"], cwd: "/" },
  );
  guard.unref();
  const { TMPDIR: before } = process.env;
  process.env["TMPDIR"] = path;
  return {
    path,
    async remove() {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      const lines = createInterface({ input: guard.stdout });
      guard.stdin.write("check\n");
      const [line] = await once(lines, "line");
      return JSON.parse(line);
    },
  };
}

/** Returns the name of this run, also in workers. It is the comment of every user account that tests create. */
export function nameOfRun(): string {
  return basename(tmpdir());
}

/** Returns whether /dev/shm is usable. In containers, it is often too small or forbids running programs. */
async function isMemoryFit(): Promise<boolean> {
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return Math.min(bavail * bsize, process.availableMemory()) >= bytesMin && !(await isNoExec());
  } catch {
    return false;
  }
}

async function isNoExec(): Promise<boolean> {
  const mounts = await readFile("/proc/mounts", "utf8");
  return mounts.split("\n").some((line) => line.split(" ")[1] === memory && /\bnoexec\b/.test(line));
}
