/**
 * The topic tasks that run on worker threads. This file imports nothing that loads the database
 * code.
 */

export { reanchorTask } from "./reanchor-task.js";
