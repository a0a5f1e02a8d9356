import { setTimeout as delay } from "node:timers/promises";
import {
  countInNamespaceOf,
  findChild,
  isAlive,
  listProcesses,
  signalGroup,
  terminateAll,
} from "../../../core/process-table.js";
import type { Containment, Tools } from "./containment.js";

/** The time between SIGTERM and SIGKILL, in milliseconds. */
export const graceMs = 5_000;

/**
 * Runs each job in its own PID namespace. When the namespace's first process exits, the kernel kills all
 * others, whatever signals they ignore and however fast they multiply. The same happens if this process dies.
 * Creating the namespace needs no extra privileges.
 *
 * @returns undefined if a required program is missing
 */
export function createNamespacing(tools: Tools): Containment | undefined {
  const { unshare, setpriv, prlimit, timeout, nice } = tools;
  if (!unshare || !setpriv || !prlimit || !timeout || !nice) return undefined;
  // A user namespace allows unprivileged users to create a PID namespace, and limits only the processes of
  // this run.
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  return {
    kind: "namespace",
    wrap({ path, args, processesMax, timeoutMs }) {
      const seconds = Math.ceil((timeoutMs + 2 * graceMs) / 1000);
      return {
        path: setpriv,
        args: [
          // Kills the agent when this process dies, so a killed broker leaves no agents behind.
          ...["--pdeathsig", "KILL", "--"],
          ...[unshare, ...asUser, "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
          ...[nice, "-n", "10"],
          ...[prlimit, `--nproc=${processesMax}`, "--core=0", "--"],
          // The namespace's first process must forward signals. `timeout` does so, and also serves as a
          // second timer.
          ...[timeout, "--foreground", `--kill-after=${graceMs / 1000}`, String(seconds)],
          path,
          ...args,
        ],
      };
    },
    track(pid) {
      // The pid of the first process inside the namespace, once it exists. It exits after all others.
      let first: number | undefined;
      const findFirst = async () => {
        first ??= await findChild(pid);
        return first;
      };
      const clear = async () => {
        while (first !== undefined && (await isAlive(first))) await delay(pollIntervalMs);
      };
      return {
        async count() {
          const pidInHost = await findFirst();
          return pidInHost === undefined ? 0 : countInNamespaceOf(pidInHost);
        },
        async terminate() {
          const pidInHost = await findFirst();
          if (pidInHost === undefined) return signalGroup(pid, "SIGTERM");
          const rows = await listProcesses();
          const others = rows.filter((row) => row.group === pid && row.pid !== pid);
          terminateAll(
            others.map((row) => row.pid),
            pidInHost,
          );
        },
        async kill() {
          await findFirst();
          signalGroup(pid, "SIGKILL");
          await clear();
        },
        clear,
      };
    },
  };
}

const pollIntervalMs = 5;
