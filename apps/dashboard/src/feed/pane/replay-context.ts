"use client";

import { createContext, use, useSyncExternalStore } from "react";
import { Replay } from "@/feed/store/replay";

/** The replay of the current session's page. */
export const ReplayContext = createContext(new Replay());

export function useReplay(): Replay {
  return use(ReplayContext);
}

/** Returns a part of the replay's state. The calling component renders again only when this part changes. */
export function useReplayed<T extends string | number | boolean | null>(select: (replay: Replay) => T): T {
  const replay = useReplay();
  const snapshot = () => select(replay);
  return useSyncExternalStore(replay.subscribe, snapshot, snapshot);
}
