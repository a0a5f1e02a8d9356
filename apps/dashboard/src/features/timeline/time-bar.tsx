"use client";

import { ChevronLeft, ChevronRight, Link2, Pause, Play } from "lucide-react";
import { Suspense, useMemo } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { copyText } from "@/core/copy-text";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { describeDuration } from "@/core/time/describe-time";
import { useReplay, useReplayed } from "@/feed/pane/replay-context";
import { type ReplaySpeed, replaySpeeds } from "@/feed/store/replay";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Segmented } from "@/ui/segmented";
import { Skeleton } from "@/ui/skeleton";
import { useToast } from "@/ui/toast-provider";
import { Scrubber } from "./scrubber";
import { findAdjacentMoment, findMoments, type Timeline, toTimeScale } from "./time-scale";
import { usePlayer } from "./use-player";
import { useTimeline } from "./use-timeline";

/**
 * The session's timeline. When people select a moment or replay the session from it, the feed, document and roster show
 * that moment.
 */
export function TimeBar() {
  return (
    <Suspense fallback={<TimeBarSkeleton />}>
      <LoadedTimeBar />
    </Suspense>
  );
}

function LoadedTimeBar() {
  const { data, problem, refresh } = useTimeline();
  if (data) return <Bar timeline={data} />;
  if (!problem) return <TimeBarSkeleton />;
  return (
    <ProblemAlert
      className="m-2"
      title="Couldn't load the timeline."
      problem={problem}
      stillWorks="The feed and document still work."
      onRetry={refresh}
    />
  );
}

function TimeBarSkeleton() {
  return (
    <div aria-busy="true" className="flex h-[calc(2.5rem+1px)] items-center border-t px-3">
      <Skeleton className="h-3 w-full" />
    </div>
  );
}

function Bar({ timeline }: { timeline: Timeline }) {
  const { at } = useSession();
  const replay = useReplay();
  const moments = useMemo(() => findMoments(timeline), [timeline]);
  const current = useReplayed((now) => now.findAt(at)?.moment ?? (at === null ? null : Date.parse(at)));
  const player = usePlayer(timeline);

  const pickMoment = (moment: number | null) => {
    player.pause();
    // Selecting a moment ends the replay.
    replay.set(null);
    pick(moment, at === null ? null : Date.parse(at));
  };
  const step = (direction: -1 | 1) =>
    pickMoment(findAdjacentMoment(moments, toTimeScale(timeline), current, direction));
  useShortcut(",", () => step(-1), { label: "Step back", group: "Time" });
  useShortcut(".", () => step(1), { label: "Step forward", group: "Time" });

  return (
    <section
      aria-label="Timeline"
      className="flex h-[calc(2.5rem+1px)] min-w-0 shrink-0 items-center border-t bg-background ps-2 text-xs print:hidden"
    >
      <PlayButton player={player} />
      <Scrubber timeline={timeline} current={current} onPick={pickMoment} onStep={step} />
      <div className="flex h-10 shrink-0 items-center gap-1 px-2">
        <Speed player={player} />
        <Button
          variant="ghost"
          size="icon"
          className="size-7 max-md:hidden"
          title="Step back ( , )"
          onClick={() => step(-1)}
        >
          <ChevronLeft aria-hidden />
          <span className="sr-only">Step back</span>
        </Button>
        <Button
          variant="ghost"
          size="icon"
          className="size-7 max-md:hidden"
          title="Step forward ( . )"
          disabled={current === null}
          onClick={() => step(1)}
        >
          <ChevronRight aria-hidden />
          <span className="sr-only">Step forward</span>
        </Button>
        {current === null ? (
          <span className="min-w-16 text-end text-muted-foreground">now</span>
        ) : (
          <>
            <CopyMoment moment={current} />
            <SkippedTime />
            <TimeText
              at={new Date(current).toISOString()}
              as="clock"
              className="min-w-16 text-end font-medium tabular-nums"
            />
            <Button variant="outline" size="sm" onClick={() => pickMoment(null)}>
              Back to live
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

type Player = ReturnType<typeof usePlayer>;

function PlayButton({ player: { isPlaying, play, pause } }: { readonly player: Player }) {
  const toggle = isPlaying ? pause : play;
  const label = isPlaying ? "Pause replay" : "Play from here";
  useShortcut("p", toggle, { label: "Play from here, or pause", group: "Time" });
  usePaletteAction({ id: "replay", label, keywords: ["replay", "past", "time"], run: toggle });
  return (
    <Button variant="ghost" size="icon" className="size-8" title={`${label}  P`} onClick={toggle}>
      {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
      <span className="sr-only">{label}</span>
    </Button>
  );
}

function Speed({ player: { speed, setSpeed } }: { readonly player: Player }) {
  const change = (by: -1 | 1) => setSpeed(replaySpeeds[replaySpeeds.indexOf(speed) + by] ?? speed);
  useShortcut("<", () => change(-1), { label: "Replay slower", group: "Time" });
  useShortcut(">", () => change(1), { label: "Replay faster", group: "Time" });
  return (
    <Segmented
      label="Replay speed"
      value={`${speed}`}
      onChange={(value) => setSpeed(Number(value) as ReplaySpeed)}
      options={replaySpeeds.map((each) => ({ value: `${each}`, label: `${each}×` }))}
      className="*:[label]:h-6 *:[label]:px-1.5 *:[label]:text-xs max-lg:hidden"
    />
  );
}

/** Shows how much inactivity was skipped. */
function SkippedTime() {
  const { at } = useSession();
  const seconds = useReplayed((replay) => {
    const state = replay.findAt(at);
    return state?.isPlaying ? Math.floor(state.skippedMs / 1_000) : 0;
  });
  if (seconds < 60) return null;
  return (
    <span className="whitespace-nowrap text-muted-foreground max-lg:hidden">
      Skipped {describeDuration(seconds)} of inactivity
    </span>
  );
}

function CopyMoment({ moment }: { readonly moment: number }) {
  const toast = useToast();

  async function copy(): Promise<void> {
    const { origin, pathname } = window.location;
    const address = `${origin}${pathname}?at=${new Date(moment).toISOString()}`;
    const isCopied = await copyText(address);
    toast(isCopied ? { text: "Link copied." } : { text: `Couldn't copy: ${address}`, tone: "failed" });
  }

  return (
    <Button
      variant="ghost"
      size="icon"
      className="size-7 max-md:hidden"
      title="Copy link to this moment"
      onClick={() => void copy()}
    >
      <Link2 aria-hidden />
      <span className="sr-only">Copy link to this moment</span>
    </Button>
  );
}

/** Writes the moment to the URL. Only the first selection adds a history entry, and later ones replace it. */
function pick(moment: number | null, current: number | null): void {
  if (moment === current) return;
  const at = moment === null ? null : new Date(moment).toISOString();
  setQuery(
    { at, m: null, v: null, compare: null, edit: null },
    { replace: moment !== null && current !== null },
  );
}
