"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toRefusal } from "@/broker/refusal";
import { useBroker } from "@/broker/use-broker";
import { setQuery } from "@/core/address/address";
import { useReplay, useReplayed } from "@/feed/pane/replay-context";
import type { ReplaySpeed } from "@/feed/store/replay";
import { useSession } from "@/sessions/session-context";
import { useToast } from "@/ui/toast-provider";
import { play as playFrom } from "./player";
import type { Timeline } from "./time-scale";

/** Replays the session from the moment being shown, or from its beginning. */
export function usePlayer(timeline: Timeline) {
  const { session, at } = useSession();
  const broker = useBroker();
  const replay = useReplay();
  const toast = useToast();
  const [speed, setSpeed] = useState<ReplaySpeed>(1);
  const latestSpeed = useRef(speed);
  latestSpeed.current = speed;
  const playback = useRef<AbortController>(null);
  const isPlaying = useReplayed((now) => now.getState()?.isPlaying ?? false);
  const documentTimes = useMemo(
    () => timeline.marks.filter(({ kind }) => kind === "document").map(({ at }) => Date.parse(at)),
    [timeline.marks],
  );

  const pause = useCallback(() => {
    if (playback.current === null) return;
    playback.current.abort();
    playback.current = null;
    const state = replay.getState();
    // Saves the replay's stopping point in the URL, so that the link can be shared.
    if (state) setQuery({ at: new Date(state.moment).toISOString() }, { replace: true });
  }, [replay]);

  function play(): void {
    if (playback.current !== null) return;
    const from = at ?? timeline.from;
    playback.current = new AbortController();
    playFrom({
      broker,
      replay,
      sessionId: session.session_id,
      from,
      to: Date.parse(timeline.to),
      documentTimes,
      getSpeed: () => latestSpeed.current,
      signal: playback.current.signal,
      onEnd: pause,
      onError(error) {
        pause();
        toast({ text: `The replay stopped: ${toRefusal(error).detail}`, tone: "failed" });
      },
    });
    if (at === null) setQuery({ at: from, m: null, v: null, compare: null, edit: null });
  }

  // Stops the replay when the URL selects a moment outside it, and on unmount.
  useEffect(() => {
    if (at !== null && replay.findAt(at) === null) playback.current?.abort();
    if (at === null || replay.findAt(at) === null) playback.current = null;
  }, [at, replay]);
  useEffect(() => () => playback.current?.abort(), []);

  return { isPlaying, play, pause, speed, setSpeed };
}
