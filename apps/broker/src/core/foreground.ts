import { setTimeout as delay } from "node:timers/promises";

/** Delays deferrable work in favour of writes. */
export interface Foreground {
  /** Counts a write until it has settled. */
  count(write: Promise<unknown>): void;
  /**
   * Resolves once the writes in progress have settled, or after `yieldMsMax`. Later writes are not waited for, so a busy
   * broker still does the work.
   */
  waitUntilQuiet(): Promise<void>;
}

const yieldMsMax = 1_000;

export function createForeground(): Foreground {
  const writes = new Set<Promise<unknown>>();

  return {
    count(write) {
      writes.add(write);
      const end = () => writes.delete(write);
      write.then(end, end);
    },
    async waitUntilQuiet() {
      if (writes.size === 0) return;
      const waited = new AbortController();
      const { signal } = waited;
      const longEnough = delay(yieldMsMax, undefined, { ref: false, signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(writes), longEnough]);
      waited.abort();
    },
  };
}
