/** Tasks for worker threads. This file imports nothing that loads the database code. */

export { hunksTask } from "./hunks-task.js";
