import { countUnfinishedTasks, purgeClaims } from "@merkle/db";
import type { Feature } from "../../feature.js";
import { waitingTasks } from "./attention.js";
import { claimTask, releaseTask } from "./claim-task.js";
import { claimScope, listClaims, releaseClaim } from "./claims.js";
import { createTask, splitTask } from "./create-task.js";
import { finishTask } from "./finish-task.js";
import { forgetTexts } from "./forget-texts.js";
import { createHandBack } from "./hand-back.js";
import { readHeldTasks } from "./held-tasks.js";
import { importTasks } from "./import-tasks.js";
import { getTask, listAllTasks, listTasks } from "./read-tasks.js";
import { updateTask } from "./update-task.js";

/** How long tasks and claims that were handed back stay on people's attention lists. */
const handedBackHours = 24;

const handBackMs = 5_000;

/** Lets peers share tasks and claim scopes. */
export const tasksFeature = {
  name: "tasks",
  needs: [],
  handlers: {
    create_task: createTask,
    list_tasks: listTasks,
    list_all_tasks: listAllTasks,
    get_task: getTask,
    update_task: updateTask,
    claim_task: claimTask,
    release_task: releaseTask,
    finish_task: finishTask,
    split_task: splitTask,
    claim: claimScope,
    release: releaseClaim,
    list_claims: listClaims,
  },
  sessionFacts: {
    unfinished_tasks: ({ database }, sessionId) => countUnfinishedTasks(database.orm, sessionId),
  },
  attention: waitingTasks,
  purge: { claims_handed_back: (db) => purgeClaims(db, handedBackHours) },
  repeat: { name: "tasks to hand back", everyMs: handBackMs, begin: ({ main }) => createHandBack(main) },
  peerFacts: { task: readHeldTasks },
  onRemoveText: forgetTexts,
  onImport: importTasks,
} satisfies Feature;
