import type { Workers } from "../core/workers/workers.js";
import { unifiedDiffTask } from "../text/tasks.js";

const CONTEXT_LINES = 3;

/** The unified diff between two versions of a document; "" when their contents are equal (DOC-8). */
export async function diffDocuments(
  workers: Workers,
  { from, fromVersion, to, toVersion }: { from: string; fromVersion: number; to: string; toVersion: number },
): Promise<string> {
  if (from === to) return "";
  return workers.run(unifiedDiffTask, {
    from,
    to,
    fromLabel: `v${fromVersion}`,
    toLabel: `v${toVersion}`,
    contextLines: CONTEXT_LINES,
  });
}
