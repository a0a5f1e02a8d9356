import type { WorkerTask } from "./core/workers/task.js";
import { merkleProofTask, merkleRootTask } from "./features/audit/feature.worker.js";
import { verifyBundleTask } from "./features/import/feature.worker.js";
import { hunksTask } from "./features/proposals/feature.worker.js";
import { hashEntriesTask } from "./features/seal/feature.worker.js";
import { reanchorTask } from "./features/topics/feature.worker.js";

/** The features' tasks that run in worker threads. */
export const featureTasks = Object.values({
  merkleProofTask,
  merkleRootTask,
  verifyBundleTask,
  hashEntriesTask,
  hunksTask,
  reanchorTask,
}) as WorkerTask<unknown, unknown>[];
