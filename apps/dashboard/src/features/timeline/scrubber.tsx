"use client";

import type { TimelineMark } from "@merkle/wire";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { usePreference } from "@/core/preferences/use-preference";
import { describeDuration, describeMoment as describeTime } from "@/core/time/describe-time";
import { cn } from "@/core/utils";
import { describeMoment, type Timeline, type TimeScale, toMoment, toShare, toTimeScale } from "./time-scale";

export interface ScrubberProps {
  readonly timeline: Timeline;
  /** The moment being shown. Null for the present. */
  readonly current: number | null;
  readonly onPick: (moment: number | null) => void;
  readonly onStep: (direction: -1 | 1) => void;
}

/** Within this distance the pointer snaps to a mark or, at the right end, to the present. */
const snapPx = 6;
const sliderSteps = 1_000;

/** A slider that shows the session's events and the selected moment, for pointer and keyboard. */
export function Scrubber({ timeline, current, onPick, onStep }: ScrubberProps) {
  const [zone] = usePreference("time");
  const track = useRef<HTMLDivElement>(null);
  /** The moment under the pointer. Releasing a pressed pointer selects this moment. */
  const [hoveredMoment, setHoveredMoment] = useState<number | null>(null);
  const isPressed = useRef(false);
  const scale = useMemo(() => toTimeScale(timeline), [timeline]);
  const share = current === null ? 1 : toShare(scale, current);
  const describeAt = (moment: number) =>
    `${describeTime(new Date(moment), new Date(scale.to), zone === "utc" ? "utc" : "local")}: ${describeMoment(timeline, moment)}`;

  function findMoment({ clientX }: PointerEvent): number {
    const { left, width } = track.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const x = clientX - left;
    if (x >= width - snapPx) return scale.to;
    const candidates = timeline.marks
      .map(({ at }) => Date.parse(at))
      .map((moment) => ({ moment, distance: Math.abs(toShare(scale, moment) * width - x) }))
      .filter(({ distance }) => distance <= snapPx)
      .sort((a, b) => a.distance - b.distance);
    return candidates[0]?.moment ?? toMoment(scale, x / width);
  }

  function release(event: PointerEvent): void {
    if (!isPressed.current) return;
    isPressed.current = false;
    const moment = findMoment(event);
    onPick(moment >= scale.to ? null : moment);
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === "ArrowLeft" || key === "ArrowDown") onStep(-1);
    else if (key === "ArrowRight" || key === "ArrowUp") onStep(1);
    else if (key === "Home") onPick(scale.from);
    else if (key === "End") onPick(null);
    else return;
    event.preventDefault();
  }

  const shownShare = hoveredMoment !== null && isPressed.current ? toShare(scale, hoveredMoment) : share;
  return (
    <div
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={sliderSteps}
      aria-valuenow={Math.round(share * sliderSteps)}
      aria-valuetext={current === null ? "now" : describeAt(current)}
      onKeyDown={handleKey}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        isPressed.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setHoveredMoment(findMoment(event));
      }}
      onPointerMove={(event) => setHoveredMoment(findMoment(event))}
      onPointerUp={release}
      onPointerCancel={() => {
        isPressed.current = false;
      }}
      onPointerLeave={() => !isPressed.current && setHoveredMoment(null)}
      className="relative h-10 min-w-0 flex-1 cursor-pointer touch-none select-none"
    >
      <div aria-hidden className="absolute inset-x-0 top-1/2 h-px bg-border" />
      <Folds scale={scale} />
      <Marks scale={scale} marks={timeline.marks} />
      <div
        aria-hidden
        className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-primary forced-colors:bg-[Highlight]"
        style={{ left: `${shownShare * 100}%` }}
      />
      {hoveredMoment !== null && (
        <p
          aria-hidden
          className="pointer-events-none absolute bottom-full z-20 mb-1 max-w-80 -translate-x-1/2 rounded-md border bg-background px-2 py-1 break-words shadow-md"
          style={{ left: `clamp(5rem, ${toShare(scale, hoveredMoment) * 100}%, 100% - 5rem)` }}
        >
          {hoveredMoment >= scale.to ? "now" : describeAt(hoveredMoment)}
        </p>
      )}
    </div>
  );
}

/** Periods without events, drawn narrow and labelled with their length. */
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

/** A symbol for each event at its time. The slider describes the events to screen readers. */
function Marks({ scale, marks }: { scale: TimeScale; marks: readonly TimelineMark[] }) {
  return (
    <div aria-hidden className="absolute inset-x-0 top-3 h-4">
      {marks.map((mark, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: marks of one moment have nothing else of their own.
          key={index}
          className={cn("absolute -translate-x-1/2 leading-4", markStyles[mark.kind].className)}
          style={{ left: `${toShare(scale, Date.parse(mark.at)) * 100}%` }}
        >
          {markStyles[mark.kind].sign}
        </span>
      ))}
    </div>
  );
}

const quiet = "text-muted-foreground";

/** The symbol of each kind of mark. */
const markStyles: Readonly<Record<TimelineMark["kind"], { sign: string; className: string }>> = {
  ask: { sign: "◆", className: "text-warning" },
  decision: { sign: "■", className: "text-success" },
  document: { sign: "▲", className: "text-info" },
  metadata: { sign: "✎", className: quiet },
  joined: { sign: "·", className: quiet },
  left: { sign: "·", className: quiet },
  held: { sign: "‖", className: "text-danger" },
  concluded: { sign: "●", className: "text-foreground" },
};
