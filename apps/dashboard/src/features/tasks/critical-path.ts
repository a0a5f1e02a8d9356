import type { Task } from "@merkle/wire";

type Waiting = Pick<Task, "task" | "waits_for">;

/**
 * Returns the longest chain of unfinished tasks in which each waits for the one before it, as numbers in the order of work. No
 * number of agents can finish the session's tasks in fewer steps. Tasks have no estimates, so each counts as one step. If
 * several chains are equally long, the first one found in the order of the list counts. Empty if no task waits for another.
 */
export function findCriticalPath(tasks: readonly Waiting[]): number[] {
  const byNumber = new Map(tasks.map((each) => [each.task, each]));
  const chains = new Map<number, readonly number[]>();
  // Terminates because the broker rejects circular dependencies.
  const findChain = (number: number): readonly number[] => {
    const known = chains.get(number);
    if (known) return known;
    const blockers = (byNumber.get(number)?.waits_for ?? []).filter((each) => byNumber.has(each));
    const chain = [...selectLongest(blockers.map(findChain)), number];
    chains.set(number, chain);
    return chain;
  };
  const longest = selectLongest(tasks.map(({ task }) => findChain(task)));
  return longest.length > 1 ? [...longest] : [];
}

function selectLongest(chains: readonly (readonly number[])[]): readonly number[] {
  return chains.reduce((best, each) => (each.length > best.length ? each : best), []);
}
