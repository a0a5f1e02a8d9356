import { limits } from "@merkle/wire/limits";
import { useRead } from "@/broker/use-read";
import { useQueryParam } from "@/core/address/use-query-param";
import { useSession } from "@/sessions/session-context";
import type { FoldedTasks } from "./task-board";
import { filterTasks, hasConditions, type TaskFilter } from "./task-filter";

/**
 * Returns the tasks that are over, newest first. The URL contains whether they are unfolded. While they are folded and no filter
 * is set, only their number is read.
 */
export function useFoldedTasks(
  state: FoldedTasks["state"],
  filter: TaskFilter,
  myName: string | null,
): FoldedTasks & { readonly total: number | undefined } {
  const { session } = useSession();
  const [param, setParam] = useQueryParam(state);
  const isOpen = param !== null;
  const isFiltered = hasConditions(filter);
  const limit = isOpen || isFiltered ? limits.tasksPageMax : 1;
  const input = { session_id: session.session_id, state, order: "newest", limit } as const;
  const { data } = useRead("list_tasks", input, { on: ["tasks"], keepLast: true });
  const matches = filterTasks(data?.tasks ?? [], filter, myName);
  return {
    state,
    tasks: isOpen ? matches.toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at)) : [],
    count: isFiltered ? matches.length : (data?.total ?? 0),
    total: data?.total,
    isOpen,
    onToggle: () => setParam(isOpen ? null : "1", { replace: true }),
  };
}
