import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** Makes cgroups, in which the kernel counts all processes and threads of a run and gives them one share of the processors. */
export interface Cgroups {
  /** One for a run, which is to be removed after it. The name begins with the mark of its runner's. */
  make(name: string, processesMax: number): Promise<Cgroup>;
}

export interface Cgroup {
  /** The command line that enters it before it becomes this one. */
  wrap(command: CommandLine): CommandLine;
  /** Whether the kernel counts its processes, and refuses those beyond what it may have. */
  readonly isCounted: boolean;
  /** The processes that it has, whatever they have become. */
  processes(): Promise<readonly number[]>;
  /** How many processes and threads it has, where they are counted. */
  count(): Promise<number>;
  /** Whether the kernel has refused it a process. */
  wasFull(): Promise<boolean>;
  /** Has it run from now on only while nothing else wants to, where the kernel knows how (Linux 5.15). */
  stepBack(): Promise<void>;
  /** Removes it once nothing is in it. */
  remove(): Promise<void>;
}

interface CommandLine {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * The limits of a run, by the files of both versions of cgroups: those that there are count. However many processes and sessions
 * it makes, all of them together have a quarter of what one process beside them has: little enough that others hardly notice, and
 * enough that an agent gets on where a machine is never idle.
 */
const limitsOf = (processesMax: number) =>
  Object.entries({ "pids.max": processesMax, "cpu.shares": 256, "cpu.weight": 25 });

const entering =
  'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"';

/**
 * Cgroups below this process's own, or beside it where only that is allowed; undefined where neither is. What a killed runner
 * with this mark left of its own is removed.
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
          if ((await makeOne(each, processesMax)).includes("pids.max")) counting = each;
      } catch (error) {
        await removeAll();
        throw error;
      }
      const read = async (name: string) => (counting ? readFile(join(counting, name), "utf8") : "");
      let isBack = false;
      return {
        wrap: (command) => enter(made, command),
        async processes() {
          const listed = await readFile(join(made[0] ?? "", "cgroup.procs"), "utf8").catch(() => "");
          return listed.split("\n").filter(Boolean).map(Number);
        },
        isCounted: counting !== undefined,
        count: async () => Number(await read("pids.current")),
        wasFull: async () => /^max [1-9]/m.test(await read("pids.events")),
        async stepBack() {
          if (isBack) return;
          isBack = true;
          const tried = made.map((each) => writeFile(join(each, "cpu.idle"), "1", { flag: "r+" }));
          await Promise.allSettled(tried);
        },
        remove: removeAll,
      };
    },
  };
}

function enter(folders: readonly string[], { path, args }: CommandLine): CommandLine {
  return { path: "/bin/sh", args: ["-c", entering, "sh", ...folders, "--", path, ...args] };
}

/** Whether files are writable does not tell who may enter; only trying shows it. */
async function canBeUsed(folder: string): Promise<boolean> {
  try {
    if ((await makeOne(folder, triedProcessesMax)).length === 0) return false;
    const { path, args } = enter([folder], { path: "/bin/true", args: [] });
    await promisify(execFile)(path, [...args], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  } finally {
    await remove(folder);
  }
}

const triedProcessesMax = 16;

/** Returns the limits that it has, by their files. */
async function makeOne(folder: string, processesMax: number): Promise<string[]> {
  await mkdir(folder);
  const files = await readdir(folder);
  const limits = limitsOf(processesMax).filter(([name]) => files.includes(name));
  for (const [name, value] of limits) await writeFile(join(folder, name), String(value));
  return limits.map(([name]) => name);
}

/** A process that has ended is let go of a moment later. */
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
  const left = names.filter((name) => name.startsWith(`${mark}.`));
  await Promise.all(left.map((name) => rmdir(join(folder, name)).catch(() => undefined)));
}

/**
 * The folders in which cgroups with limits may be made, as the kernel names them: a list of candidates, best first, for each
 * hierarchy that counts processes or shares out processors. None on systems without cgroups.
 */
async function findCgroupFolders(): Promise<string[][]> {
  const read = (name: string) => readFile(`/proc/self/${name}`, "utf8").catch(() => "");
  return parseCgroupFolders(await read("cgroup"), await read("mountinfo"));
}

/** Exported for its test. */
export function parseCgroupFolders(cgroup: string, mountinfo: string): string[][] {
  const mounts = mountinfo.split("\n").flatMap(parseMount);
  return cgroup.split("\n").flatMap((line) => {
    const [, controllers, own] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || own === undefined || own.includes("..")) return [];
    const isOfUse = controllers === "" || controllers.split(",").some((each) => limiting.includes(each));
    const mount = mounts.find((each) => each.controllers.join() === controllers && isBelow(own, each.root));
    if (!isOfUse || !mount) return [];
    const inMount = mount.root === "/" ? own : own.slice(mount.root.length) || "/";
    const folders = [join(mount.point, inMount)];
    // In version 2 one that has processes has no others with limits below it, but may have them beside it.
    if (controllers === "" && inMount !== "/") folders.push(join(mount.point, dirname(inMount)));
    return [folders];
  });
}

const limiting = ["pids", "cpu"];

interface Mount {
  readonly root: string;
  readonly point: string;
  /** None in version 2, which has one hierarchy for all. */
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
