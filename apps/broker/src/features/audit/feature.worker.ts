/** What a worker thread runs. It imports nothing that loads the database code. */

export { merkleProofTask, merkleRootTask } from "./merkle-tasks.js";
