import { constants, existsSync } from "node:fs";
import { access, chmod, mkdir, readdir, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "merkle-tests-";
const bytesMin = 4 * 1024 ** 3;

/**
 * Lays what the tests write into memory, where there is plenty of it: most of it is files of databases that live for a
 * second, which cost twice the time on a disk. The folder is named in TMPDIR, which whatever is started here inherits.
 * Returns how to remove it.
 */
export async function useFolderInMemory(): Promise<() => Promise<void>> {
  if (!(await isFitForTests())) return async () => undefined;
  await removeAbandoned();
  const folder = join(memory, `${prefix}${process.pid}`);
  await mkdir(folder);
  // As /tmp is: servers and programs of other users have theirs in it.
  await chmod(folder, 0o1777);
  const { TMPDIR: before } = process.env;
  process.env["TMPDIR"] = folder;
  return async () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(folder, { recursive: true, force: true });
  };
}

/** Containers often have one that is too small, or from which nothing can be run. */
async function isFitForTests(): Promise<boolean> {
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

/** What a run that was killed has left would stay in memory. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(memory)) {
    if (!name.startsWith(prefix) || existsSync(`/proc/${name.slice(prefix.length)}`)) continue;
    await rm(join(memory, name), { recursive: true, force: true });
  }
}
