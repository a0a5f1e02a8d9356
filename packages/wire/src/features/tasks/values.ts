import * as z from "zod";
import { limits } from "../../core/limits.js";
import { lineOfChars } from "../../core/values.js";

/**
 * The kinds of change of a task. `ready`: the last task that it waited for is done. `handed_back`: its holder was gone for
 * too long.
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

/** How a task is proved done: by a command that its holder runs, or by somebody who accepts it (TASK-8). */
export const TaskCheck = z.union([
  z.strictObject({ command: lineOfChars(limits.checkCommandCharsMax) }),
  z.strictObject({ reviewer: lineOfChars(limits.nameCharsMax) }),
]);
export type TaskCheck = z.output<typeof TaskCheck>;

/** What a task is about: a message of the feed, or a section of the document. */
export type TaskLink = { readonly message: number } | { readonly section: string };
