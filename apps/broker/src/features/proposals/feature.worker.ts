/**
 * The proposal tasks that run on worker threads. This file imports nothing that loads the database
 * code.
 */

export { hunksTask } from "./hunks-task.js";
