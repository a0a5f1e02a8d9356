import type { LockedStateEntry } from "@merkle/db";
import { limits } from "@merkle/wire";

/** How long a key's next event has to wait; 0 when it may come now (STATE-7). */
export function msUntilDue({ announcedAt, now }: Pick<LockedStateEntry, "announcedAt" | "now">): number {
  if (!announcedAt) return 0;
  return Math.max(0, announcedAt.getTime() + limits.stateEventMsMin - now.getTime());
}
