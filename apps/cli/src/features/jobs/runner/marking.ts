import { setTimeout as delay } from "node:timers/promises";
import {
  findMarked,
  listProcesses,
  type ProcessRow,
  signal,
  terminateAll,
} from "../../../core/process-table.js";
import type { Cgroup } from "./cgroup.js";
import type { Containment, Tools, TrackedRun } from "./containment.js";

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
        ...(prlimit ? [prlimit, ...toLimitArguments(processesMax), "--core=0", "--"] : []),
        ...(timeout
          ? [timeout, "--foreground", "--kill-after=5", String(Math.ceil(timeoutMs / 1000) + 10)]
          : []),
        path,
        ...args,
      ];
      return { path: first, args: rest };
    },
    track: (pid, mark, group) => trackByMarks(pid, mark, { forwardsSignals: timeout !== undefined, group }),
  };
}

/**
 * Returns the process limit for `prlimit`. The system counts all processes of a user together, and applies no
 * limit to root.
 */
function toLimitArguments(processesMax: number): string[] {
  return process.getuid?.() === 0 ? [] : [`--nproc=${userProcessesUsual + processesMax}`];
}

/** Allowance for the user's processes outside the run. */
const userProcessesUsual = 4_096;
const roundsMax = 200;
const roundMs = 10;

interface ProcessMarkerOptions {
  /** Whether the run's first process forwards signals to the program. */
  readonly forwardsSignals: boolean;
  readonly group: Pick<Cgroup, "processes"> | undefined;
}

function trackByMarks(
  pid: number,
  mark: string,
  { forwardsSignals, group }: Partial<ProcessMarkerOptions> = {},
): TrackedRun {
  // The run's processes seen so far: pid and start time. The start time distinguishes a later process that
  // reuses the pid.
  const seen = new Map<number, string>();

  // Processes without the run's mark: pid and start time. They need no second check, because a process's
  // initial environment does not change.
  const unmarked = new Map<number, string>();

  async function findProcesses(): Promise<ProcessRow[]> {
    const inGroup = new Set(await group?.processes());
    const rows = await listProcesses();
    const isKnown = (row: ProcessRow) =>
      inGroup.has(row.pid) || row.group === pid || row.session === pid || seen.get(row.pid) === row.began;
    const unknown = rows.filter((row) => !isKnown(row) && unmarked.get(row.pid) !== row.began);
    const marked = new Set(
      await findMarked(
        mark,
        unknown.map((row) => row.pid),
      ),
    );
    for (const row of unknown) if (!marked.has(row.pid)) unmarked.set(row.pid, row.began);
    const byPid = new Map(
      rows.filter((row) => isKnown(row) || marked.has(row.pid)).map((row) => [row.pid, row]),
    );
    // Adds children of children until no more are found.
    for (let before = -1; before !== byPid.size; ) {
      before = byPid.size;
      for (const row of rows) if (byPid.has(row.parent)) byPid.set(row.pid, row);
    }
    byPid.delete(process.pid);
    for (const row of byPid.values()) seen.set(row.pid, row.began);
    return [...byPid.values()];
  }

  async function kill(): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      const running = await findProcesses();
      if (running.length === 0) return;
      // Stop all processes before killing any. A running process could fork faster than its children are
      // found.
      for (const row of running) signal(row.pid, "SIGSTOP");
      const late = (await findProcesses()).filter((row) => !running.some((each) => each.pid === row.pid));
      for (const row of late) signal(row.pid, "SIGSTOP");
      if (late.length > 0) continue;
      for (const row of running) signal(row.pid, "SIGKILL");
      await delay(roundMs);
    }
  }

  return {
    count: async () => (await findProcesses()).length,
    async terminate() {
      const rows = await findProcesses();
      terminateAll(
        rows.map((row) => row.pid),
        forwardsSignals ? pid : undefined,
      );
    },
    kill,
    clear: kill,
  };
}

/** Ends processes that a killed runner left behind, which are found by the runner's mark. */
export async function clearLeftovers(mark: string): Promise<number> {
  const leftovers = (await findMarked(mark)).filter((pid) => pid !== process.pid);
  for (const pid of leftovers) await trackByMarks(pid, mark).kill();
  return leftovers.length;
}
