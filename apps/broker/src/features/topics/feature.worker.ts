/** What a worker thread runs. It imports nothing that loads the database code. */

export { reanchorTask } from "./reanchor-task.js";
