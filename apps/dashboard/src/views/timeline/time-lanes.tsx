"use client";

import { ChevronDown, ChevronLeft, ChevronRight, ChevronUp } from "lucide-react";
import { Suspense, useEffect, useMemo, useRef } from "react";
import { type Read, useRead } from "@/broker/use-read";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { usePreference } from "@/core/preferences/use-preference";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { TeamMark } from "@/sessions/team-mark";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { LaneTrack } from "./lane-track";
import { findMoments, stepMoment, type Timeline, toLanes, toTimeScale } from "./time-scale";

/**
 * The lanes of the teams: how much each said over time, and the way to any moment of it. Feed and document are shown as they were
 * then.
 */
export function TimeLanes() {
  return (
    <PanelBoundary title="The time lanes">
      <Suspense fallback={<LanesSkeleton />}>
        <LoadedLanes />
      </Suspense>
    </PanelBoundary>
  );
}

function LoadedLanes() {
  const { data, problem, refresh } = useTimeline();
  if (data) return <Lanes timeline={data} />;
  if (!problem) return <LanesSkeleton />;
  return (
    <ProblemAlert
      className="m-2"
      title="The time lanes could not be read."
      problem={problem}
      stillWorks="Feed and document are not affected."
      onRetry={refresh}
    />
  );
}

function LanesSkeleton() {
  return (
    <div aria-busy="true" className="flex h-[calc(2.5rem+1px)] items-center border-t px-3">
      <Skeleton className="h-3 w-full" />
    </div>
  );
}

function Lanes({ timeline }: { timeline: Timeline }) {
  const { at } = useSession();
  const [lanes, setLanes] = usePreference("lanes");
  // A finger's width is too coarse for a moment of hours, and the room is needed: there the lanes are to be read only.
  const canPick = useMediaQuery("(min-width: 768px)");
  const moments = useMemo(() => findMoments(timeline), [timeline]);
  const lanesShown = useMemo(() => toLanes(timeline), [timeline]);
  const isOpen = lanes === "open";
  const current = at === null ? null : Date.parse(at);

  const step = (direction: -1 | 1) =>
    pick(stepMoment(moments, toTimeScale(timeline), current, direction), current);
  useShortcut(",", () => step(-1), { label: "A moment back", group: "Time", enabled: canPick });
  useShortcut(".", () => step(1), { label: "A moment on", group: "Time", enabled: canPick });

  return (
    <section
      aria-label="Time lanes"
      className={cn(
        "flex min-w-0 shrink-0 items-start border-t bg-background text-xs print:hidden",
        // However many teams there are, feed and document keep most of the screen.
        isOpen && "max-h-[30dvh] overflow-y-auto",
      )}
    >
      <div className="w-28 shrink-0 md:w-36">
        <Button
          variant="ghost"
          size="sm"
          aria-expanded={isOpen}
          className="h-10 w-full justify-start rounded-none text-xs -outline-offset-2"
          onClick={() => setLanes(isOpen ? "folded" : "open")}
        >
          {isOpen ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
          Time lanes
        </Button>
        {isOpen && (
          <ul aria-label="Teams" className="pb-1">
            {lanesShown.map(({ key, name, colour }) => (
              <li key={key} title={name} className="flex h-5 items-center gap-1.5 ps-3 pe-2">
                {colour !== null && <TeamMark name={name} colour={colour} />}
                <bdi className="truncate">{name}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
      <LaneTrack
        timeline={timeline}
        current={current}
        lanes={isOpen ? lanesShown : null}
        onPick={canPick ? (moment) => pick(moment, current) : undefined}
        onStep={step}
      />
      <div className="flex h-10 shrink-0 items-center gap-1 px-2">
        {canPick && (
          <>
            <Button
              variant="ghost"
              size="icon"
              className="size-7"
              title="A moment back ( , )"
              onClick={() => step(-1)}
            >
              <ChevronLeft aria-hidden />
              <span className="sr-only">A moment back</span>
            </Button>
            <Button
              variant="ghost"
              size="icon"
              className="size-7"
              title="A moment on ( . )"
              disabled={current === null}
              onClick={() => step(1)}
            >
              <ChevronRight aria-hidden />
              <span className="sr-only">A moment on</span>
            </Button>
          </>
        )}
        {at === null ? (
          <span className="min-w-16 text-end text-muted-foreground">now</span>
        ) : (
          <>
            <TimeText at={at} as="clock" className="min-w-16 text-end font-medium tabular-nums" />
            <Button variant="outline" size="sm" onClick={() => pick(null, current)}>
              Return to now
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

/** The moment stands in the address. The first one can be gone back from; the ones after it take its place. */
function pick(moment: number | null, current: number | null): void {
  if (moment === current) return;
  const at = moment === null ? null : new Date(moment).toISOString();
  setQuery(
    { at, m: null, v: null, compare: null, edit: null },
    { replace: moment !== null && current !== null },
  );
}

const buckets = 120;
/** However fast a feed grows, its lanes are read no more often. */
const growEveryMs = 2_000;

/** Reads the timeline that the lanes show, again as the session grows. */
function useTimeline(): Read<Timeline> {
  const { session } = useSession();
  const { session_id, last_sequence } = session;
  const timeline = useRead(
    "get_timeline",
    { session_id, buckets },
    { on: ["document", "roster", "session"] },
  );
  const { refresh } = timeline;
  const shown = useRef(last_sequence);
  const readAt = useRef(0);

  useEffect(() => {
    if (last_sequence === shown.current) return;
    const wait = Math.max(0, readAt.current + growEveryMs - performance.now());
    const timer = setTimeout(() => {
      shown.current = last_sequence;
      readAt.current = performance.now();
      refresh();
    }, wait);
    return () => clearTimeout(timer);
  }, [last_sequence, refresh]);
  return timeline;
}
