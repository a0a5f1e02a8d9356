import * as z from "zod";
import { limits } from "../../core/limits.js";
import { lineOfChars } from "../../core/values.js";

/**
 * The kinds of task changes. `ready`: its last unfinished blocker is done. `handed_back`: its holder was
 * absent for too long.
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

/** How a task is proved done: by a command that its holder runs, or by a reviewer who accepts it (TASK-8). */
export const TaskCheck = z.union([
  z.strictObject({ command: lineOfChars(limits.checkCommandCharsMax) }),
  z.strictObject({ reviewer: lineOfChars(limits.nameCharsMax) }),
]);
export type TaskCheck = z.output<typeof TaskCheck>;

/** A reference from a task to a message of the feed or a section of the document. */
export type TaskLink = { readonly message: number } | { readonly section: string };
