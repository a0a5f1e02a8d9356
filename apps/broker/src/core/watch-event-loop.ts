import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

/** How late timers ran during the last one to two minutes, in milliseconds. */
export interface EventLoopDelay {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

export interface EventLoopWatch {
  readDelay(): EventLoopDelay;
  stop(): void;
}

/** Sampling interval, long enough to have no measurable cost on an idle broker. */
const resolutionMs = 50;
const windowMs = 60_000;

/**
 * Measures the delay of the event loop. Two histograms are reset alternately, so that one of them always covers
 * at least a minute.
 */
export function watchEventLoop(): EventLoopWatch {
  let older = openHistogram();
  let newer = openHistogram();
  const rotation = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, windowMs);
  rotation.unref();

  return {
    readDelay: () => ({
      p50_ms: toDelayMs(older.percentile(50)),
      p99_ms: toDelayMs(older.percentile(99)),
      max_ms: toDelayMs(older.max),
    }),
    stop() {
      clearInterval(rotation);
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

/**
 * Converts a sample to a delay in milliseconds. The histogram records the time between two samples in
 * nanoseconds.
 */
function toDelayMs(nanoseconds: number): number {
  return Math.max(0, Math.round((nanoseconds / 1e6 - resolutionMs) * 100) / 100);
}
