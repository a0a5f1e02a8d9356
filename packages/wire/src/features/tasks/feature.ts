/** Tasks, and claims on the files that agents work on. */
export { events, type TaskEvent } from "./events.js";
export type { ScopeClaim, Task, TaskState } from "./operations.js";
export { rules } from "./rules.js";
export type { TaskChange, TaskCheck } from "./values.js";
