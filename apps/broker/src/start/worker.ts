import { parentPort } from "node:worker_threads";
import type { TaskReply, TaskRequest, WorkerTask } from "../core/workers/task.js";
import { findSectionTask, mergeTextsTask, replaceConclusionTask, unifiedDiffTask } from "../text/tasks.js";
import { featureTasks } from "../worker-tasks.js";

// Entry script of a worker thread, which runs the tasks that it receives one after another. It must not
// import the database code, which every new thread would need most of a second to load.
const port = parentPort;
if (!port) throw new Error("worker.js must run in a thread that startWorkers starts.");

const tasks = new Map(
  [...[findSectionTask, mergeTextsTask, replaceConclusionTask, unifiedDiffTask], ...featureTasks].map(
    (task) => [task.name, task as WorkerTask<unknown, unknown>],
  ),
);

port.on("message", async (request: TaskRequest) => port.postMessage(await runTask(request)));

async function runTask({ name, input }: TaskRequest): Promise<TaskReply> {
  try {
    const task = tasks.get(name);
    if (!task) throw new TypeError(`There is no task ${name}.`);
    return { ok: true, output: await task.run(input) };
  } catch (error) {
    return { ok: false, error };
  }
}
