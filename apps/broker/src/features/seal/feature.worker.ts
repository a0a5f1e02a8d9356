/**
 * The seal tasks that run on worker threads. This file imports nothing that loads the database
 * code.
 */

export { hashEntriesTask } from "./hash-entries.js";
