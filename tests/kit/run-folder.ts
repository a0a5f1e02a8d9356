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

/** The one folder that a run writes to, and what sees to it that nothing of the run outlives it. */
export interface RunFolder {
  readonly path: string;
  /** Removes the folder, ends what still runs, and returns a line about each thing that the tests should have removed. */
  remove(): Promise<string[]>;
}

/**
 * Makes the folder of this run and puts it into TMPDIR, which everything that is started here inherits: its name marks a
 * process as one of this run. It is in memory if there is plenty, since databases that live for a second cost twice the time
 * on a disk. If this process is killed, the guard cleans up after it.
 *
 * @param vitestFolder - the folder that vitest itself removes at its end, unless it is killed
 */
export async function makeRunFolder(vitestFolder: string): Promise<RunFolder> {
  const path = await mkdtemp(join((await isMemoryFit()) ? memory : tmpdir(), "merkle-run-"));
  // Like /tmp: servers and programs of other users write here too.
  await chmod(path, 0o1777);
  // Before TMPDIR is set, or the guard would look like a process of the run.
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

/** The name of this run, in a worker as well. Users that tests create have it as their comment. */
export function nameOfRun(): string {
  return basename(tmpdir());
}

/** Containers often have one that is too small, or from which no program can be run. */
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
