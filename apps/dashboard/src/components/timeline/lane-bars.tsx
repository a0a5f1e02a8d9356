import { useMemo } from "react";
import { cn } from "@/lib/utils";
import { type TimeScale, toBars } from "./time-scale";

const width = 1_000;
const height = 100;

/** How much was said over time, as one shape: a lane of hundreds of bars is one element. */
export function LaneBars({
  scale,
  counts,
  className,
}: {
  scale: TimeScale;
  counts: readonly number[];
  className?: string;
}) {
  const path = useMemo(
    () =>
      toBars(scale, counts, Math.max(...counts, 1))
        .map(({ start, width: share, height: high }) => {
          // A hair of space keeps bars apart; the least height keeps a single message visible.
          const right = start * width + Math.max(share * width - 1, 1);
          return `M${start * width} ${height}V${height - Math.max(high * height, 15)}H${right}V${height}Z`;
        })
        .join(""),
    [scale, counts],
  );
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={cn(
        "block w-full overflow-visible text-muted-foreground/70 forced-colors:text-[CanvasText]",
        className,
      )}
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
