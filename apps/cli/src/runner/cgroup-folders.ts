import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The folders in which cgroups with limits may be made, as the kernel names them: a list of candidates, best first, for each
 * hierarchy that counts processes or shares out processors. None on systems without cgroups.
 */
export async function findCgroupFolders(): Promise<string[][]> {
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
