import { createHash } from "node:crypto";
import type { Hunk } from "@merkle/wire";
import { lineChanges } from "@merkle/wire/text";
import { findHeadings } from "../../text/unified-diff.js";

/** The places where one text would become another, each with the heading that it stands under. */
export function toHunks(from: string, to: string): Hunk[] {
  const headings = findHeadings(from);
  let next = 0;
  let section = "";
  return lineChanges(from, to).map(({ above, oldLines, newLines }) => {
    // A hunk that takes a heading away is under the heading before it, and so is one that puts lines before a heading.
    for (; (headings[next]?.line ?? Infinity) <= above; next += 1) section = headings[next]?.text ?? "";
    const places = { old_start: above + 1, old_lines: [...oldLines], new_lines: [...newLines] };
    return { id: nameOf(places), section, ...places };
  });
}

/** Made from what the hunk is, so that a name never comes to mean another change. */
function nameOf(places: Pick<Hunk, "old_start" | "old_lines" | "new_lines">): string {
  const { old_start, old_lines, new_lines } = places;
  return createHash("sha256")
    .update(JSON.stringify([old_start, old_lines, new_lines]))
    .digest("hex")
    .slice(0, 12);
}
