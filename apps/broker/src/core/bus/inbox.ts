import { withTimeout } from "../with-timeout.js";
import type { HintListeners } from "./bus.js";
import { mergeHints, type SentHint, toHintKey } from "./hints.js";

/** Passes incoming hints to their listeners, in order and with limited concurrency. */
export interface HintQueue {
  /** Adds a hint. Waiting hints with the same key are merged. */
  add(hint: SentHint): void;
  /** Resolves once the listeners have handled all hints added so far. */
  waitForListeners(): Promise<void>;
}

/**
 * Maximum number of hints handled at the same time. The next hints wait until these hints have been handled,
 * but no longer than `turnMsMax`.
 */
const turnHintsMax = 100;
const turnMsMax = 1_000;
/** Maximum number of different hints that wait. If there are more, everything is re-read instead. */
const waitingMax = 20_000;

export function createHintQueue(listeners: Pick<HintListeners, "notify" | "waitForListeners">): HintQueue {
  const waiting = new Map<string, SentHint>();
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.size > 0) {
      for (const hint of takeTurn()) listeners.notify(hint[0], hint[1] as never);
      // The following hints wait only this long for a slow listener. The listener then continues in parallel.
      await withTimeout(listeners.waitForListeners(), turnMsMax, "none").catch(() => undefined);
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
      const key = toHintKey(hint);
      waiting.set(key, mergeHints(waiting.get(key), hint));
      if (!isDraining) void drain();
    },
    waitForListeners: listeners.waitForListeners,
  };
}
