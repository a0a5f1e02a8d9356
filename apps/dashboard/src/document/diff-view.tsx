"use client";

import { useMemo, useState } from "react";
import type { DiffHunk, ParsedDiff } from "@/text/diff/unified-diff";
import { Button } from "@/ui/button";
import { SplitHunk, UnifiedHunk } from "./diff-hunk";
import { DiffCounts } from "./version-changes";

/** A diff with more lines than this starts with its sections collapsed. */
const openLinesMax = 1_500;
/** Number of lines of a hunk that are shown initially. */
export const hunkLinesMax = 400;

export interface DiffViewProps {
  readonly diff: ParsedDiff;
  readonly layout: "unified" | "split";
}

interface DiffGroup {
  readonly section: string;
  readonly hunks: readonly DiffHunk[];
  readonly lines: number;
  readonly added: number;
  readonly removed: number;
}

/** A diff, grouped by document section. In a large diff, all groups start collapsed. */
export function DiffView({ diff, layout }: DiffViewProps) {
  const groups = useMemo(() => toGroups(diff.hunks), [diff]);
  const lines = groups.reduce((sum, group) => sum + group.lines, 0);
  const isLarge = lines > openLinesMax;
  return (
    <div className="@container">
      {isLarge && (
        <p role="note" className="m-3 rounded-md border bg-surface px-3 py-2 text-sm text-muted-foreground">
          Large change: {lines} lines in {groups.length} {groups.length === 1 ? "part" : "parts"}. Open a part
          to read it.
        </p>
      )}
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place in the diff.
        <Group key={index} group={group} layout={layout} isFolded={isLarge} />
      ))}
    </div>
  );
}

interface DiffGroupProps {
  readonly group: DiffGroup;
  readonly layout: DiffViewProps["layout"];
  readonly isFolded: boolean;
}

function Group({ group, layout, isFolded }: DiffGroupProps) {
  const [isOpen, setOpen] = useState(!isFolded);
  const title = group.section.replace(/^#{1,6}\s+/, "");
  const Heading = isFolded ? "button" : "h3";
  return (
    <article aria-label={title === "" ? "Beginning" : title} className="border-b">
      <Heading
        {...(isFolded && {
          type: "button" as const,
          "aria-expanded": isOpen,
          onClick: () => setOpen(!isOpen),
        })}
        className="flex min-h-8 w-full items-center gap-2 bg-surface px-3 text-start text-sm font-medium"
      >
        {isFolded && (
          <span aria-hidden className="w-3 text-muted-foreground">
            {isOpen ? "▾" : "▸"}
          </span>
        )}
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {title === "" ? "Beginning" : title}
        </span>
        <DiffCounts added={group.added} removed={group.removed} />
      </Heading>
      {isOpen &&
        group.hunks.map((hunk) => (
          <Hunk key={`${hunk.oldStart} ${hunk.newStart}`} hunk={hunk} layout={layout} />
        ))}
    </article>
  );
}

function Hunk({ hunk, layout }: { hunk: DiffHunk; layout: DiffViewProps["layout"] }) {
  const [shown, setShown] = useState(hunkLinesMax);
  const part = useMemo(
    () => (shown >= hunk.lines.length ? hunk.lines : hunk.lines.slice(0, shown)),
    [hunk, shown],
  );
  const hidden = hunk.lines.length - part.length;
  return (
    <>
      {/* Two columns need space, so a narrow pane always shows one column, regardless of the preference. */}
      {layout === "split" && (
        <div className="hidden @min-[44rem]:block">
          <SplitHunk lines={part} />
        </div>
      )}
      <div className={layout === "split" ? "@min-[44rem]:hidden" : undefined}>
        <UnifiedHunk lines={part} />
      </div>
      {hidden > 0 && (
        <p className="p-2 text-center">
          <Button variant="outline" size="sm" onClick={() => setShown(shown + hunkLinesMax * 5)}>
            {hidden} more lines
          </Button>
        </p>
      )}
    </>
  );
}

/** Groups consecutive hunks of the same section. */
function toGroups(hunks: readonly DiffHunk[]): DiffGroup[] {
  const groups: { section: string; hunks: DiffHunk[]; lines: number; added: number; removed: number }[] = [];
  for (const hunk of hunks) {
    let group = groups.at(-1);
    if (group?.section !== hunk.section) {
      group = { section: hunk.section, hunks: [], lines: 0, added: 0, removed: 0 };
      groups.push(group);
    }
    group.hunks.push(hunk);
    group.lines += hunk.lines.length;
    group.added += hunk.lines.filter(({ kind }) => kind === "added").length;
    group.removed += hunk.lines.filter(({ kind }) => kind === "removed").length;
  }
  return groups;
}
