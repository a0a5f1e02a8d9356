import { cn } from "@/core/utils";
import { markFaces } from "./mark-faces";
import type { Timeline, TimelineMark } from "./time-scale";

const words: readonly (readonly [TimelineMark["kind"], string])[] = [
  ["ask", "asked"],
  ["decision", "decided"],
  ["document", "wrote the document"],
  ["metadata", "title or description"],
  ["joined", "joined or left"],
  ["held", "held"],
  ["concluded", "concluded"],
];

/** The signs of the marks that the lanes have, in words. */
export function MarkLegend({
  timeline,
  hasFolds,
}: {
  readonly timeline: Timeline;
  readonly hasFolds: boolean;
}) {
  const kinds = new Set<TimelineMark["kind"]>(
    timeline.marks.map(({ kind }) => (kind === "left" ? "joined" : kind)),
  );
  return (
    <ul
      aria-label="Legend"
      className="flex basis-full flex-wrap gap-x-4 gap-y-0.5 border-t px-3 py-1 text-muted-foreground"
    >
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-3 w-1.5 bg-muted-foreground/70" /> messages
      </li>
      {words
        .filter(([kind]) => kinds.has(kind))
        .map(([kind, word]) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span aria-hidden className={cn("w-2 text-center", markFaces[kind].className)}>
              {markFaces[kind].sign}
            </span>
            {word}
          </li>
        ))}
      {hasFolds && (
        <li className="flex items-center gap-1.5">
          <span aria-hidden className="h-3 w-4 bg-raised" /> nothing happened, drawn narrow
        </li>
      )}
    </ul>
  );
}
