import type { OutputOf, TimelineMark } from "@merkle/wire";

export type Timeline = OutputOf<"get_timeline">;

/** The time range of the scrubber, in milliseconds. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  /** Periods without events, which are drawn narrow. */
  readonly folds: readonly Fold[];
  /**
   * `foldMs`: width of a fold, as the duration that would be drawn this wide. `drawnMs`: width of the whole scale, in
   * the same unit.
   */
  readonly foldMs: number;
  readonly drawnMs: number;
}

interface Fold {
  readonly from: number;
  readonly to: number;
}

/**
 * A run of at least `idleBucketsMin` empty buckets becomes a fold. The fold is drawn as wide as `foldBuckets` buckets,
 * or `foldShare` of the remaining time, whichever is less.
 */
const idleBucketsMin = 12;
const foldBuckets = 4;
const foldShare = 1 / 8;
/** Shorter periods are never folded, however short the session is. */
const idleMsMin = 60_000;

export function toTimeScale(timeline: Timeline): TimeScale {
  const from = Date.parse(timeline.from);
  // A session created just now still needs a range of at least 1 ms.
  const to = Math.max(Date.parse(timeline.to), from + 1);
  const bucketMs = timeline.bucket_ms;
  const folds = findFolds(timeline, { from, to, bucketMs });
  const busyMs = folds.reduce((left, fold) => left - (fold.to - fold.from), to - from);
  const foldMs = Math.min(foldBuckets * bucketMs, Math.max(busyMs, 1) * foldShare);
  return { from, to, bucketMs, folds, foldMs, drawnMs: Math.max(busyMs, 0) + folds.length * foldMs };
}

function findFolds(
  timeline: Timeline,
  { from, to, bucketMs }: Pick<TimeScale, "from" | "to" | "bucketMs">,
): Fold[] {
  const buckets = Math.ceil((to - from) / bucketMs);
  const marked = new Set(timeline.marks.map(({ at }) => Math.floor((Date.parse(at) - from) / bucketMs)));
  const isIdle = (bucket: number) =>
    !marked.has(bucket) && timeline.lanes.every(({ counts }) => (counts[bucket] ?? 0) === 0);
  const folds: Fold[] = [];
  for (let start = 0; start < buckets; start += 1) {
    let end = start;
    while (end < buckets && isIdle(end)) end += 1;
    if (end - start >= idleBucketsMin && (end - start) * bucketMs >= idleMsMin) {
      folds.push({ from: from + start * bucketMs, to: Math.min(from + end * bucketMs, to) });
    }
    start = end;
  }
  return folds;
}

/** Returns the position of a moment on the scale, from 0 to 1. */
export function toShare({ from, folds, foldMs, drawnMs }: TimeScale, ms: number): number {
  let position = ms - from;
  for (const fold of folds) {
    if (ms <= fold.from) break;
    const length = fold.to - fold.from;
    const elapsed = Math.min(ms, fold.to) - fold.from;
    position += elapsed * (foldMs / length - 1);
  }
  return Math.min(1, Math.max(0, position / drawnMs));
}

export function toMoment({ from, to, folds, foldMs, drawnMs }: TimeScale, share: number): number {
  let ms = from + Math.min(1, Math.max(0, share)) * drawnMs;
  for (const fold of folds) {
    if (ms <= fold.from) break;
    const length = fold.to - fold.from;
    ms += Math.min(ms - fold.from, foldMs) * (length / foldMs - 1);
  }
  return Math.round(Math.min(ms, to));
}

/** Returns every moment at which something changed, in order: each mark, and the end of each bucket with messages. */
export function findMoments(timeline: Timeline): number[] {
  const { from, to, bucketMs } = toTimeScale(timeline);
  const ends = timeline.lanes.flatMap(({ counts }) =>
    counts.flatMap((count, index) => (count === 0 ? [] : [Math.min(from + (index + 1) * bucketMs, to)])),
  );
  const marks = timeline.marks.map(({ at }) => Date.parse(at));
  return [...new Set([...ends, ...marks])].sort((a, b) => a - b);
}

/**
 * Returns the moment before or after the given moment. Null means the present, which comes after the last moment. The
 * beginning of the session comes before the first.
 */
export function findAdjacentMoment(
  moments: readonly number[],
  { from, to }: TimeScale,
  current: number | null,
  direction: -1 | 1,
): number | null {
  if (direction === 1) {
    if (current === null) return null;
    const next = moments.find((moment) => moment > current);
    return next === undefined || next >= to ? null : next;
  }
  const before = current ?? to;
  return moments.findLast((moment) => moment < before) ?? from;
}

/** Describes the time span that ends at a moment, for screen readers. */
export function describeMoment(timeline: Timeline, ms: number): string {
  const scale = toTimeScale(timeline);
  const index = Math.min(Math.floor((ms - scale.from - 1) / scale.bucketMs), getLastBucketIndex(timeline));
  const activeTeams = timeline.lanes
    .map(({ team, counts }) => ({ team, count: counts[Math.max(index, 0)] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ team, count }) => `${team} ${count}`);
  const marks = timeline.marks.filter(({ at }) => Date.parse(at) === ms).map(describeMark);
  const parts = [...marks, activeTeams.length > 0 && `messages here: ${activeTeams.join(", ")}`].filter(
    (part) => part !== false,
  );
  return parts.length > 0 ? parts.join("; ") : "no messages here";
}

export function describeMark({ kind, by, version, sequence }: TimelineMark): string {
  const actor = by ?? "someone";
  const number = sequence === null ? "" : ` (${sequence})`;
  switch (kind) {
    case "ask":
      return `${actor} asked${number}`;
    case "decision":
      return `${actor} decided${number}`;
    case "document":
      return `${actor} wrote document v${version}`;
    case "metadata":
      return `${actor} changed the title or description`;
    case "joined":
      return `${actor} joined`;
    case "left":
      return `${actor} left`;
    case "held":
      return `${actor} held the session`;
    case "concluded":
      return `${actor} concluded the session`;
  }
}

function getLastBucketIndex({ lanes }: Timeline): number {
  return Math.max(0, (lanes[0]?.counts.length ?? 1) - 1);
}
