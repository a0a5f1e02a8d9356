import { setTimeout as delay } from "node:timers/promises";
import {
  askToEnd,
  countInNamespaceOf,
  findChild,
  isAlive,
  listProcesses,
  signalGroup,
} from "../../../core/process-table.js";
import type { Containment, Tools } from "./containment.js";

/** Between SIGTERM and SIGKILL. */
export const graceMs = 5_000;

/**
 * Keeps a run in a PID namespace of its own. When its first process ends the kernel ends all others, whatever they ignore,
 * whichever session or parent they have, and however fast they multiply; and when this process dies it does so, too. The
 * namespace is made as the user who runs this, without further rights.
 *
 * @returns undefined where a program that is needed is missing
 */
export function createNamespacing(tools: Tools): Containment | undefined {
  const { unshare, setpriv, prlimit, timeout, nice } = tools;
  if (!unshare || !setpriv || !prlimit || !timeout || !nice) return undefined;
  // A namespace of users besides lets anybody make one of processes, and counts the processes of this run alone.
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  return {
    kind: "namespace",
    wrap({ path, args, processesMax, timeoutMs }) {
      const seconds = Math.ceil((timeoutMs + 2 * graceMs) / 1000);
      return {
        path: setpriv,
        args: [
          // Dies with this process: a broker that was killed leaves no agent behind.
          ...["--pdeathsig", "KILL", "--"],
          ...[unshare, ...asUser, "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
          ...[nice, "-n", "10"],
          ...[prlimit, `--nproc=${processesMax}`, "--core=0", "--"],
          // The namespace's first process must be one that passes signals on; it is a second clock as well.
          ...[timeout, "--foreground", `--kill-after=${graceMs / 1000}`, String(seconds)],
          path,
          ...args,
        ],
      };
    },
    hold(pid) {
      // The namespace's own first process, once it is there. The kernel lets it go after all others.
      let first: number | undefined;
      const find = async () => {
        first ??= await findChild(pid);
        return first;
      };
      const clear = async () => {
        while (first !== undefined && (await isAlive(first))) await delay(lookEveryMs);
      };
      return {
        async count() {
          const found = await find();
          return found === undefined ? 0 : countInNamespaceOf(found);
        },
        async terminate() {
          const found = await find();
          if (found === undefined) return signalGroup(pid, "SIGTERM");
          const rows = await listProcesses();
          const told = rows.filter((row) => row.group === pid && row.pid !== pid);
          askToEnd(
            told.map((row) => row.pid),
            found,
          );
        },
        async kill() {
          await find();
          signalGroup(pid, "SIGKILL");
          await clear();
        },
        clear,
      };
    },
  };
}

const lookEveryMs = 5;
