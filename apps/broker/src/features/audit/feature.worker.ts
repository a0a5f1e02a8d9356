/**
 * The audit tasks that run on worker threads. This file imports nothing that loads the database
 * code.
 */

export { merkleProofTask, merkleRootTask } from "./merkle-tasks.js";
