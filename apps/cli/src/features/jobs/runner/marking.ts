import { setTimeout as delay } from "node:timers/promises";
import {
  findMarked,
  listProcesses,
  type ProcessRow,
  signal,
  terminateAll,
} from "../../../core/process-table.js";
import type { Cgroup } from "./cgroup.js";
import type { Containment, Held, Tools } from "./containment.js";

/**
 * Creates a containment that finds the processes of a run by cgroup, process group, session, a mark in their
 * environment, or a parent that was seen before. A process that deliberately escapes from all of these
 * between two sweeps is missed. Only a namespace prevents that.
 */
export function createMarking({ prlimit, nice, timeout }: Tools): Containment {
  return {
    kind: "marks",
    wrap({ path, args, processesMax, timeoutMs }) {
      const [first = path, ...rest] = [
        ...(nice ? [nice, "-n", "10"] : []),
        ...(prlimit ? [prlimit, ...limitOf(processesMax), "--core=0", "--"] : []),
        ...(timeout
          ? [timeout, "--foreground", "--kill-after=5", String(Math.ceil(timeoutMs / 1000) + 10)]
          : []),
        path,
        ...args,
      ];
      return { path: first, args: rest };
    },
    hold: (pid, mark, group) => holdByMarks(pid, mark, { passesOn: timeout !== undefined, group }),
  };
}

/**
 * Returns the process limit for `prlimit`. The system counts all processes of a user together, and applies no
 * limit to root.
 */
function limitOf(processesMax: number): string[] {
  return process.getuid?.() === 0 ? [] : [`--nproc=${userProcessesUsual + processesMax}`];
}

/** Allowance for the user's processes outside the run. */
const userProcessesUsual = 4_096;
const roundsMax = 200;
const roundMs = 10;

interface Marking {
  /** Whether the run's first process forwards signals to the program. */
  readonly passesOn: boolean;
  readonly group: Pick<Cgroup, "processes"> | undefined;
}

function holdByMarks(pid: number, mark: string, { passesOn, group }: Partial<Marking> = {}): Held {
  // The run's processes seen so far: pid and start time. The start time distinguishes a later process that
  // reuses the pid.
  const seen = new Map<number, string>();

  // Processes without the run's mark: pid and start time. They need no second check, because a process's
  // initial environment does not change.
  const strangers = new Map<number, string>();

  async function look(): Promise<ProcessRow[]> {
    const inGroup = new Set(await group?.processes());
    const rows = await listProcesses();
    const isKin = (row: ProcessRow) =>
      inGroup.has(row.pid) || row.group === pid || row.session === pid || seen.get(row.pid) === row.began;
    const unknown = rows.filter((row) => !isKin(row) && strangers.get(row.pid) !== row.began);
    const marked = new Set(
      await findMarked(
        mark,
        unknown.map((row) => row.pid),
      ),
    );
    for (const row of unknown) if (!marked.has(row.pid)) strangers.set(row.pid, row.began);
    const found = new Map(
      rows.filter((row) => isKin(row) || marked.has(row.pid)).map((row) => [row.pid, row]),
    );
    // Adds children of children until no more are found.
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row);
    }
    found.delete(process.pid);
    for (const row of found.values()) seen.set(row.pid, row.began);
    return [...found.values()];
  }

  async function kill(): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      const found = await look();
      if (found.length === 0) return;
      // Stop all processes before killing any. A running process could fork faster than its children are
      // found.
      for (const row of found) signal(row.pid, "SIGSTOP");
      const late = (await look()).filter((row) => !found.some((each) => each.pid === row.pid));
      for (const row of late) signal(row.pid, "SIGSTOP");
      if (late.length > 0) continue;
      for (const row of found) signal(row.pid, "SIGKILL");
      await delay(roundMs);
    }
  }

  return {
    count: async () => (await look()).length,
    async terminate() {
      const rows = await look();
      terminateAll(
        rows.map((row) => row.pid),
        passesOn ? pid : undefined,
      );
    },
    kill,
    clear: kill,
  };
}

/** Ends processes that a killed runner left behind, which are found by the runner's mark. */
export async function clearLeftovers(mark: string): Promise<number> {
  const left = (await findMarked(mark)).filter((pid) => pid !== process.pid);
  for (const pid of left) await holdByMarks(pid, mark).kill();
  return left.length;
}
