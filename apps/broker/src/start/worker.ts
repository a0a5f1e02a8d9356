import { parentPort } from "node:worker_threads";
import { runTask, type TaskReply, type TaskRequest } from "./tasks.js";

// The entry of a worker thread: does what it is sent, one task after the other.
const port = parentPort;
if (!port) throw new Error("worker.js runs in a thread that startWorkers started, not by itself.");
port.on("message", async (request: TaskRequest) => port.postMessage(await answer(request)));

async function answer({ name, input }: TaskRequest): Promise<TaskReply> {
  try {
    return { ok: true, output: await runTask(name, input) };
  } catch (error) {
    return { ok: false, error };
  }
}
