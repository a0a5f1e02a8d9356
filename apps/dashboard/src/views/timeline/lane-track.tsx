"use client";

import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { usePreference } from "@/core/preferences/use-preference";
import { describeDuration, describeMoment as describeTime } from "@/core/time/describe-time";
import { cn } from "@/core/utils";
import { toTeamColour } from "@/sessions/team-colour";
import { markFaces } from "./mark-faces";
import {
  describeMoment,
  fromShare,
  type Lane,
  sumLanes,
  type Timeline,
  type TimelineMark,
  type TimeScale,
  toBars,
  toShare,
  toTimeScale,
} from "./time-scale";

export interface LaneTrackProps {
  readonly timeline: Timeline;
  /** The moment that is looked at; null for now. */
  readonly current: number | null;
  /** The lanes on their own; null while they are folded into one. */
  readonly lanes: readonly Lane[] | null;
  /** Absent where nothing can be picked. */
  readonly onPick: ((moment: number | null) => void) | undefined;
  readonly onStep: (direction: -1 | 1) => void;
}

/** So near to a mark, in pixels, the pointer means the mark; so near to the right end it means now, whatever is marked there. */
const snapPx = 6;
const sliderSteps = 1_000;

/** The lanes with the moment that is looked at: a slider for pointer and keyboard. */
export function LaneTrack({ timeline, current, lanes, onPick, onStep }: LaneTrackProps) {
  const [zone] = usePreference("time");
  const track = useRef<HTMLDivElement>(null);
  /** Where the pointer is; while it is pressed, what will be picked. */
  const [pointed, setPointed] = useState<number | null>(null);
  const isPressed = useRef(false);
  const scale = useMemo(() => toTimeScale(timeline), [timeline]);
  const share = current === null ? 1 : toShare(scale, current);
  const say = (moment: number) =>
    `${describeTime(new Date(moment), new Date(scale.to), zone === "utc" ? "utc" : "local")}: ${describeMoment(timeline, moment)}`;

  function momentAt({ clientX }: PointerEvent): number {
    const { left, width } = track.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const x = clientX - left;
    if (x >= width - snapPx) return scale.to;
    const near = timeline.marks
      .map(({ at }) => Date.parse(at))
      .map((moment) => ({ moment, distance: Math.abs(toShare(scale, moment) * width - x) }))
      .filter(({ distance }) => distance <= snapPx)
      .sort((a, b) => a.distance - b.distance);
    return near[0]?.moment ?? fromShare(scale, x / width);
  }

  function release(event: PointerEvent): void {
    if (!isPressed.current) return;
    isPressed.current = false;
    const moment = momentAt(event);
    onPick?.(moment >= scale.to ? null : moment);
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === "ArrowLeft" || key === "ArrowDown") onStep(-1);
    else if (key === "ArrowRight" || key === "ArrowUp") onStep(1);
    else if (key === "Home") onPick?.(scale.from);
    else if (key === "End") onPick?.(null);
    else return;
    event.preventDefault();
  }

  const shownShare = pointed !== null && isPressed.current ? toShare(scale, pointed) : share;
  return (
    <div
      ref={track}
      {...(onPick
        ? {
            role: "slider",
            tabIndex: 0,
            "aria-label": "Moment",
            "aria-valuemin": 0,
            "aria-valuemax": sliderSteps,
            "aria-valuenow": Math.round(share * sliderSteps),
            "aria-valuetext": current === null ? "now" : say(current),
            onKeyDown: handleKey,
            onPointerDown: (event: PointerEvent) => {
              if (event.button !== 0) return;
              isPressed.current = true;
              event.currentTarget.setPointerCapture(event.pointerId);
              setPointed(momentAt(event));
            },
            onPointerMove: (event: PointerEvent) => setPointed(momentAt(event)),
            onPointerUp: release,
            onPointerCancel: () => {
              isPressed.current = false;
            },
            onPointerLeave: () => !isPressed.current && setPointed(null),
          }
        : { role: "img", "aria-label": describeLanes(timeline) })}
      className={cn("relative min-w-0 flex-1 select-none", onPick && "cursor-pointer touch-none")}
    >
      <div className="relative h-10">
        {!lanes && (
          <LaneBars
            scale={scale}
            counts={sumLanes(timeline.lanes)}
            className="absolute inset-x-0 bottom-1 h-4"
          />
        )}
        <LaneMarks scale={scale} marks={timeline.marks} />
        <Folds scale={scale} />
        {timeline.lanes.length === 0 && (
          <p className="absolute top-1/2 -translate-y-1/2 text-muted-foreground">Nothing was said yet.</p>
        )}
      </div>
      {lanes?.map((lane) => (
        <LaneBars
          key={lane.key}
          scale={scale}
          counts={lane.counts}
          className={cn("h-5 border-t", lane.colour !== null && toTeamColour(lane.colour).className)}
        />
      ))}
      <div
        aria-hidden
        className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-primary forced-colors:bg-[Highlight]"
        style={{ left: `${shownShare * 100}%` }}
      />
      {pointed !== null && (
        <p
          aria-hidden
          className={cn(
            "pointer-events-none absolute z-20 max-w-80 -translate-x-1/2 rounded-md border bg-background px-2 py-1 break-words shadow-md",
            lanes ? "top-1" : "bottom-full mb-1",
          )}
          style={{ left: `clamp(5rem, ${toShare(scale, pointed) * 100}%, 100% - 5rem)` }}
        >
          {pointed >= scale.to ? "now" : say(pointed)}
        </p>
      )}
    </div>
  );
}

function describeLanes({ lanes, marks }: Timeline): string {
  const said = lanes.map(({ team, counts }) => `${team} ${counts.reduce((sum, count) => sum + count, 0)}`);
  return `Messages over time: ${said.length > 0 ? said.join(", ") : "none"}; ${marks.length} events`;
}

const width = 1_000;
const height = 100;

/** The stretches in which nothing happened, drawn narrow, with how long they were. */
function Folds({ scale }: { scale: TimeScale }) {
  return scale.folds.map(({ from, to }) => {
    const start = toShare(scale, from);
    return (
      <span
        key={from}
        aria-hidden
        className="absolute inset-y-0 flex items-end justify-center overflow-hidden bg-raised/60 pb-0.5 text-[0.625rem] leading-3 whitespace-nowrap text-muted-foreground"
        style={{ left: `${start * 100}%`, width: `${(toShare(scale, to) - start) * 100}%` }}
      >
        {describeDuration((to - from) / 1_000)}
      </span>
    );
  });
}

/** How much was said over time, as one shape: a lane of hundreds of bars is one element. */
function LaneBars({
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

/**
 * The marks of a lane: a sign for each kind of thing that happened, at its time. The slider that they stand in says them in
 * words.
 */
function LaneMarks({ scale, marks }: { scale: TimeScale; marks: readonly TimelineMark[] }) {
  return (
    <div aria-hidden className="absolute inset-x-0 top-0.5 h-4">
      {marks.map((mark, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: marks of one moment have nothing else of their own.
          key={index}
          className={cn("absolute -translate-x-1/2 leading-4", markFaces[mark.kind].className)}
          style={{ left: `${toShare(scale, Date.parse(mark.at)) * 100}%` }}
        >
          {markFaces[mark.kind].sign}
        </span>
      ))}
    </div>
  );
}
