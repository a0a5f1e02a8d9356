import type { Hunk } from "@merkle/wire";
import { computeLineChanges } from "@merkle/wire/document";
import { sha256 } from "../../core/sha256.js";
import { findHeadings } from "../../text/unified-diff.js";

/** Returns the changes between two strings as hunks, each with the heading of its section. */
export function toHunks(from: string, to: string): Hunk[] {
  const headings = findHeadings(from);
  let next = 0;
  let section = "";
  return computeLineChanges(from, to).map(({ above, oldLines, newLines }) => {
    // A hunk that removes a heading, or inserts lines before it, belongs to the previous section.
    for (; (headings[next]?.line ?? Infinity) <= above; next += 1) section = headings[next]?.text ?? "";
    const change = { old_start: above + 1, old_lines: [...oldLines], new_lines: [...newLines] };
    return { id: hashHunk(change), section, ...change };
  });
}

/**
 * Derives the id from the hunk's position and lengths, so that an id never refers to a different
 * change.
 */
function hashHunk(change: Pick<Hunk, "old_start" | "old_lines" | "new_lines">): string {
  const { old_start, old_lines, new_lines } = change;
  return sha256(JSON.stringify([old_start, old_lines, new_lines]), "hex").slice(0, 12);
}
