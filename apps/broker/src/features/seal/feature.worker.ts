/** What a worker thread runs. It imports nothing that loads the database code. */

export { hashEntriesTask } from "./hash-entries.js";
