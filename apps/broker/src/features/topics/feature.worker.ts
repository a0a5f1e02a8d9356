/** Tasks for worker threads. This file imports nothing that loads the database code. */

export { reanchorTask } from "./reanchor-task.js";
