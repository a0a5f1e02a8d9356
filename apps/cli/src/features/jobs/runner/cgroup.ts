import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Creates cgroups, in which the kernel counts all processes and threads of a run and limits their share of
 * CPU time.
 */
export interface Cgroups {
  /**
   * Creates a cgroup for one run. The caller must remove it afterwards. The name must begin with the runner's
   * mark.
   */
  make(name: string, processesMax: number): Promise<Cgroup>;
}

export interface Cgroup {
  /** Returns a command line that enters the cgroup and then runs the given command. */
  wrap(command: CommandLine): CommandLine;
  /** Whether the kernel counts the cgroup's processes and refuses to create more than the limit. */
  readonly isCounted: boolean;
  /** Returns the pids of all processes in the cgroup, whichever programs they run. */
  processes(): Promise<readonly number[]>;
  /** Returns the number of processes and threads in the cgroup, if the kernel counts them. */
  count(): Promise<number>;
  /** Returns whether the kernel has refused to create a process because the cgroup was full. */
  wasFull(): Promise<boolean>;
  /**
   * Lets the cgroup run only while the processors are otherwise idle, if the kernel supports that (Linux
   * 5.15).
   */
  deprioritise(): Promise<void>;
  /** Removes the cgroup once it is empty. */
  remove(): Promise<void>;
}

interface CommandLine {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * The limits of a run, by the file names of both cgroup versions; only files that exist are written. All
 * processes of a run together get a quarter of the CPU share of one ordinary process. Other programs hardly
 * notice that, and the agent still makes progress on a machine that is never idle.
 */
const toLimits = (processesMax: number) =>
  Object.entries({ "pids.max": processesMax, "cpu.shares": 256, "cpu.weight": 25 });

const enterScript =
  'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"';

/**
 * Finds where cgroups can be created: below the cgroup of this process, or next to it if only that is
 * allowed. Returns undefined if neither is allowed. Removes cgroups that a killed runner with the same mark
 * left behind.
 */
export async function findCgroups(mark: string): Promise<Cgroups | undefined> {
  const usable: string[] = [];
  for (const folders of await findCgroupFolders()) {
    for (const folder of folders) {
      await clearLeftovers(folder, mark);
      if (!(await canBeUsed(join(folder, `${mark}.try`)))) continue;
      usable.push(folder);
      break;
    }
  }
  if (usable.length === 0) return undefined;
  return {
    async make(name, processesMax) {
      const made = usable.map((folder) => join(folder, name));
      const removeAll = async () => {
        await Promise.all(made.map(remove));
      };
      let counting: string | undefined;
      try {
        for (const each of made)
          if ((await makeCgroup(each, processesMax)).includes("pids.max")) counting = each;
      } catch (error) {
        await removeAll();
        throw error;
      }
      const read = async (name: string) => (counting ? readFile(join(counting, name), "utf8") : "");
      let isDeprioritised = false;
      return {
        wrap: (command) => enter(made, command),
        async processes() {
          const listed = await readFile(join(made[0] ?? "", "cgroup.procs"), "utf8").catch(() => "");
          return listed.split("\n").filter(Boolean).map(Number);
        },
        isCounted: counting !== undefined,
        count: async () => Number(await read("pids.current")),
        wasFull: async () => /^max [1-9]/m.test(await read("pids.events")),
        async deprioritise() {
          if (isDeprioritised) return;
          isDeprioritised = true;
          const tried = made.map((each) => writeFile(join(each, "cpu.idle"), "1", { flag: "r+" }));
          await Promise.allSettled(tried);
        },
        remove: removeAll,
      };
    },
  };
}

function enter(folders: readonly string[], { path, args }: CommandLine): CommandLine {
  return { path: "/bin/sh", args: ["-c", enterScript, "sh", ...folders, "--", path, ...args] };
}

/** Tries to enter a cgroup, because file permissions do not show whether that is allowed. */
async function canBeUsed(folder: string): Promise<boolean> {
  try {
    if ((await makeCgroup(folder, trialProcessesMax)).length === 0) return false;
    const { path, args } = enter([folder], { path: "/bin/true", args: [] });
    await promisify(execFile)(path, [...args], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  } finally {
    await remove(folder);
  }
}

const trialProcessesMax = 16;

/** Creates a cgroup and returns the names of the limits that it supports. */
async function makeCgroup(folder: string, processesMax: number): Promise<string[]> {
  await mkdir(folder);
  const files = await readdir(folder);
  const limits = toLimits(processesMax).filter(([name]) => files.includes(name));
  for (const [name, value] of limits) await writeFile(join(folder, name), String(value));
  return limits.map(([name]) => name);
}

/** Removes a cgroup. The kernel may keep an exited process in the cgroup for a moment. */
async function remove(folder: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const code = await rmdir(folder).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== "EBUSY") return;
    await delay(10);
  }
}

async function clearLeftovers(folder: string, mark: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const leftovers = names.filter((name) => name.startsWith(`${mark}.`));
  await Promise.all(leftovers.map((name) => rmdir(join(folder, name)).catch(() => undefined)));
}

/**
 * Returns the folders in which cgroups with limits may be created: for each hierarchy that limits processes
 * or CPU time, a list of candidates, best first. Empty on systems without cgroups.
 */
async function findCgroupFolders(): Promise<string[][]> {
  const read = (name: string) => readFile(`/proc/self/${name}`, "utf8").catch(() => "");
  return parseCgroupFolders(await read("cgroup"), await read("mountinfo"));
}

/**
 * Finds candidate folders in the contents of /proc/self/cgroup and /proc/self/mountinfo. Exported for the
 * test.
 */
export function parseCgroupFolders(cgroup: string, mountinfo: string): string[][] {
  const mounts = mountinfo.split("\n").flatMap(parseMount);
  return cgroup.split("\n").flatMap((line) => {
    const [, controllers, own] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || own === undefined || own.includes("..")) return [];
    const canLimit =
      controllers === "" || controllers.split(",").some((each) => limitingControllers.includes(each));
    const mount = mounts.find((each) => each.controllers.join() === controllers && isBelow(own, each.root));
    if (!canLimit || !mount) return [];
    const inMount = mount.root === "/" ? own : own.slice(mount.root.length) || "/";
    const folders = [join(mount.point, inMount)];
    // In version 2, a cgroup that contains processes cannot have children with limits. Siblings can have
    // limits.
    if (controllers === "" && inMount !== "/") folders.push(join(mount.point, dirname(inMount)));
    return [folders];
  });
}

const limitingControllers = ["pids", "cpu"];

interface Mount {
  readonly root: string;
  readonly point: string;
  /** The controllers of the hierarchy. Empty in version 2, where one hierarchy has all controllers. */
  readonly controllers: readonly string[];
}

function parseMount(line: string): Mount[] {
  const [before = "", after = ""] = line.split(" - ");
  const [, , , root = "", point = ""] = before.split(" ");
  const [type, , options = ""] = after.split(" ");
  if (type === "cgroup2") return [{ root, point, controllers: [] }];
  if (type !== "cgroup") return [];
  const flags = ["rw", "ro", "xattr", "clone_children", "cpuset_v2_mode"];
  const controllers = options.split(",").filter((each) => !flags.includes(each) && !each.includes("="));
  return [{ root, point, controllers }];
}

function isBelow(path: string, root: string): boolean {
  return root === "/" || path === root || path.startsWith(`${root}/`);
}
