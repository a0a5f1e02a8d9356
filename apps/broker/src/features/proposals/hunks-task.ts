import type { Hunk } from "@merkle/wire";
import type { WorkerTask } from "../../core/workers/task.js";
import { isSmallDiff } from "../../text/tasks.js";
import { toHunks } from "./hunks.js";

export const hunksTask: WorkerTask<{ from: string; to: string }, Hunk[]> = {
  name: "hunks",
  run: ({ from, to }) => toHunks(from, to),
  isSmall: ({ from, to }) => isSmallDiff(from, to),
};
