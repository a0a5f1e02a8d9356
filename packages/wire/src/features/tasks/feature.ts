/** Tasks, and claims of the files they change. */
export { events, type TaskEvent } from "./events.js";
export type { ScopeClaim, Task, TaskState } from "./operations.js";
export { rules } from "./rules.js";
export type { TaskChange, TaskCheck } from "./values.js";
