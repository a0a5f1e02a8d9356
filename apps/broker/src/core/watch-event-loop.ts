import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

/** How late the event loop was in the last one to two minutes, in milliseconds. */
export interface Lateness {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

export interface EventLoopWatch {
  lateness(): Lateness;
  stop(): void;
}

/** How often it looks: rarely enough to cost an idle broker nothing that could be measured. */
const resolutionMs = 50;
const windowMs = 60_000;

/** Watches how late the event loop is. Two histograms take turns to be emptied, so that one always holds a whole minute. */
export function watchEventLoop(): EventLoopWatch {
  let older = openHistogram();
  let newer = openHistogram();
  const turns = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, windowMs);
  turns.unref();

  return {
    lateness: () => ({
      p50_ms: toLate(older.percentile(50)),
      p99_ms: toLate(older.percentile(99)),
      max_ms: toLate(older.max),
    }),
    stop() {
      clearInterval(turns);
      older.disable();
      newer.disable();
    },
  };
}

function openHistogram(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  return histogram;
}

/** Returns how many milliseconds late the loop was. The histogram measures the time from one look to the next, in nanoseconds. */
function toLate(nanoseconds: number): number {
  return Math.max(0, Math.round((nanoseconds / 1e6 - resolutionMs) * 100) / 100);
}
