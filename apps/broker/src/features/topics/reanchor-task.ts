import { type AnchoredQuote, type ReanchoredSpan, startReanchoring } from "@merkle/wire/document";
import type { WorkerTask } from "../../core/workers/task.js";

/** Total length up to which two texts count as small. Comparing such texts takes a few milliseconds. */
const smallCharsMax = 8 * 1024;

/**
 * Finds anchors in a changed text. Returns one new anchor for each old anchor, in the same order, or null
 * where an anchor was lost.
 */
export const reanchorTask: WorkerTask<
  { before: string; after: string; anchors: readonly AnchoredQuote[] },
  (ReanchoredSpan | null)[]
> = {
  name: "reanchor",
  run: ({ before, after, anchors }) => anchors.map(startReanchoring(before, after)),
  isSmall: ({ before, after, anchors }) => before.length + after.length < smallCharsMax && anchors.length < 5,
};
