import { withTimeout } from "../with-timeout.js";
import type { HintListeners } from "./bus.js";
import { keyOfHint, mergeHints, type SentHint } from "./hints.js";

/** Passes hints that came in on to their listeners, in order and within a budget. */
export interface Inbox {
  /** Hints of one key that wait are followed once. */
  add(hint: SentHint): void;
  /** Resolves when listeners have ended with all hints that were added until now. */
  followed(): Promise<void>;
}

/** So many keys are followed at once; the next ones begin when these have ended, or after `turnMsMax`. */
const turnHintsMax = 100;
const turnMsMax = 1_000;
/** So many different keys wait; beyond, everything is read again instead. */
const waitingMax = 20_000;

export function createInbox(listeners: Pick<HintListeners, "tell" | "followed">): Inbox {
  const waiting = new Map<string, SentHint>();
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.size > 0) {
      for (const hint of takeTurn()) listeners.tell(hint[0], hint[1] as never);
      // One that hangs does not hold up the others for longer: it goes on beside them.
      await withTimeout(listeners.followed(), turnMsMax, "none").catch(() => undefined);
    }
    isDraining = false;
  }

  function takeTurn(): SentHint[] {
    const turn = [...waiting].slice(0, turnHintsMax);
    for (const [key] of turn) waiting.delete(key);
    return turn.map(([, hint]) => hint);
  }

  return {
    add(hint) {
      if (waiting.size >= waitingMax) {
        waiting.clear();
        waiting.set("lost", ["lost", {}]);
      }
      const key = keyOfHint(hint);
      waiting.set(key, mergeHints(waiting.get(key), hint));
      if (!isDraining) void drain();
    },
    followed: listeners.followed,
  };
}
