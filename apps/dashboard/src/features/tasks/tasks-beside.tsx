import { lazyPart } from "@/core/lazy-part";

const TasksTab = lazyPart(() => import("./tasks-tab"), "TasksTab");

/**
 * The tasks as a column next to the feed. Every page contains the names of this module's scripts, so it is small and names those of
 * the tab itself.
 */
export function TasksBeside() {
  return <TasksTab isBeside />;
}
