import * as z from "zod";
import { limits } from "../../core/limits.js";
import { lineOfChars } from "../../core/values.js";

/**
 * The kinds of changes to a task. `ready`: the last unfinished blocker of the task is done. `handed_back`:
 * the task's holder was absent for too long.
 */
export const TaskChange = z.enum([
  "created",
  "updated",
  "ready",
  "claimed",
  "released",
  "handed_back",
  "in_review",
  "done",
  "cancelled",
]);
export type TaskChange = z.output<typeof TaskChange>;

/** How to prove that a task is done: its holder runs a command, or a reviewer accepts the result (TASK-8). */
export const TaskCheck = z.union([
  z.strictObject({ command: lineOfChars(limits.checkCommandCharsMax) }),
  z.strictObject({ reviewer: lineOfChars(limits.nameCharsMax) }),
]);
export type TaskCheck = z.output<typeof TaskCheck>;

/** A reference from a task to a message in the feed or to a section of the document. */
export type TaskLink = { readonly message: number } | { readonly section: string };
