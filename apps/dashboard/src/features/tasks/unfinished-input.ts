import { limits } from "@merkle/wire/limits";

/** Returns the input that reads a session's unfinished tasks. All parts of a page share its answer. */
export function unfinishedInput(session_id: string) {
  return { session_id, state: "unfinished", limit: limits.tasksPageMax } as const;
}
