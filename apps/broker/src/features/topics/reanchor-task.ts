import { type Anchored, type Reanchored, startReanchoring } from "@merkle/wire/text";
import type { Task } from "../../core/workers/task.js";

/** Texts of so many characters are compared within a few milliseconds. */
const smallCharsMax = 8 * 1024;

/** Gives new anchors in the order of the old ones; null for what is lost. */
export const reanchorTask: Task<
  { before: string; after: string; anchors: readonly Anchored[] },
  (Reanchored | null)[]
> = {
  name: "reanchor",
  run: ({ before, after, anchors }) => anchors.map(startReanchoring(before, after)),
  isSmall: ({ before, after, anchors }) => before.length + after.length < smallCharsMax && anchors.length < 5,
};
