import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The processors of this machine in two halves. */
export interface Processors {
  /** Of what is attacked: the broker, its PostgreSQL and the well-behaved, or the server that refuses everything. */
  readonly attacked: string;
  readonly attacker: string;
}

/** Null where there is but one, or no way to say who runs where. */
export function shareProcessors(): Processors | null {
  const count = availableParallelism();
  if (count < 2 || process.platform !== "linux") return null;
  const half = Math.ceil(count / 2);
  return { attacked: toRange(0, half - 1), attacker: toRange(half, count - 1) };
}

/** Keeps a process, with all its threads and the processes that it starts from now on, on some processors. */
export function keepOn(processors: string, pid: number): void {
  execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(pid)], {
    stdio: "ignore",
  });
}

function toRange(first: number, last: number): string {
  return first === last ? String(first) : `${first}-${last}`;
}
