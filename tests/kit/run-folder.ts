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

/** The only folder that a test run writes to, with a guard that lets nothing outlive the run. */
export interface RunFolder {
  readonly path: string;
  /**
   * Removes the folder, ends remaining processes, and returns one line per thing that the tests should have
   * removed.
   */
  remove(): Promise<string[]>;
}

/**
 * Creates this run's folder and sets TMPDIR to it. Everything started here inherits TMPDIR, so the folder's
 * name marks a process as part of this run. The folder is in memory if there is enough, because short-lived
 * databases take twice as long on a disk. If this process is killed, the guard cleans up.
 *
 * @param vitestFolder - a folder that vitest removes at its end, unless it is killed
 */
export async function makeRunFolder(vitestFolder: string): Promise<RunFolder> {
  const path = await mkdtemp(join((await isMemoryFit()) ? memory : tmpdir(), "merkle-run-"));
  // Like /tmp, because servers and programs of other users write here too.
  await chmod(path, 0o1777);
  // Started before TMPDIR is set. Otherwise the guard would look like a process of the run.
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

/** Returns the name of this run, in workers too. Users that tests create have it as their comment. */
export function nameOfRun(): string {
  return basename(tmpdir());
}

/** In containers, /dev/shm is often too small, or no program can be run from it. */
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
