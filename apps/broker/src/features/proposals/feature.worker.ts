/** What a worker thread runs. It imports nothing that loads the database code. */

export { hunksTask } from "./hunks-task.js";
