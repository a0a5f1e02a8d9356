import type { OutputOf } from "@merkle/wire";

export type Timeline = OutputOf<"get_timeline">;
export type TimelineMark = Timeline["marks"][number];

/** The stretch of time that the lanes show, in milliseconds. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
}

export function toTimeScale(timeline: Timeline): TimeScale {
  return {
    from: Date.parse(timeline.from),
    // A session that was created this very moment still has a stretch to point at.
    to: Math.max(Date.parse(timeline.to), Date.parse(timeline.from) + 1),
    bucketMs: timeline.bucket_ms,
  };
}

/** Where a moment stands between both ends, from 0 to 1. */
export function toShare({ from, to }: TimeScale, ms: number): number {
  return Math.min(1, Math.max(0, (ms - from) / (to - from)));
}

export function fromShare({ from, to }: TimeScale, share: number): number {
  return Math.round(from + Math.min(1, Math.max(0, share)) * (to - from));
}

/** A bar of a lane: where it stands and how wide it is, as shares of the width, and how high, as a share of the highest. */
export interface LaneBar {
  readonly start: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
}

/** The bars of one lane; buckets in which nothing was said have none. `most` is the highest count of all lanes. */
export function toBars(scale: TimeScale, counts: readonly number[], most: number): LaneBar[] {
  return counts.flatMap((count, index) => {
    if (count === 0) return [];
    const start = toShare(scale, scale.from + index * scale.bucketMs);
    const end = toShare(scale, scale.from + (index + 1) * scale.bucketMs);
    // The square root keeps one message visible beside a bucket of hundreds.
    return [{ start, width: end - start, height: Math.sqrt(count / Math.max(most, 1)), count }];
  });
}

/** A lane as it is shown: a team's, or that of all who said least. */
export interface Lane {
  readonly key: string;
  readonly name: string;
  /** Null for several teams together. */
  readonly colour: number | null;
  readonly counts: readonly number[];
}

/** More lanes would leave no room for feed and document. */
const lanesMax = 8;

/** The lanes to show, in the order of joining. Where there are too many, those who said least share the last one. */
export function toLanes({ lanes }: Timeline): Lane[] {
  const total = ({ counts }: Timeline["lanes"][number]) => counts.reduce((sum, count) => sum + count, 0);
  const loudest =
    lanes.length <= lanesMax ? lanes : lanes.toSorted((a, b) => total(b) - total(a)).slice(0, lanesMax - 1);
  const others = lanes.filter((lane) => !loudest.includes(lane));
  const own = lanes
    .filter((lane) => loudest.includes(lane))
    .map(({ team_id, team, colour, counts }) => ({ key: team_id, name: team, colour, counts }));
  if (others.length === 0) return own;
  return [...own, { key: "others", name: `${others.length} others`, colour: null, counts: sumLanes(others) }];
}

export function sumLanes(lanes: readonly { readonly counts: readonly number[] }[]): number[] {
  const length = lanes[0]?.counts.length ?? 0;
  return Array.from({ length }, (_, index) =>
    lanes.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
  );
}

/** Every moment after which something was different, in order: the end of each bucket with words in it, and each mark. */
export function findMoments(timeline: Timeline): number[] {
  const { from, to, bucketMs } = toTimeScale(timeline);
  const ends = timeline.lanes.flatMap(({ counts }) =>
    counts.flatMap((count, index) => (count === 0 ? [] : [Math.min(from + (index + 1) * bucketMs, to)])),
  );
  const marks = timeline.marks.map(({ at }) => Date.parse(at));
  return [...new Set([...ends, ...marks])].sort((a, b) => a - b);
}

/** The moment before or after another one, where null stands for now: after the last comes now, before the first the beginning. */
export function stepMoment(
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

/** Describes the stretch that ends at a moment, for those who hear the lanes instead of seeing them. */
export function describeMoment(timeline: Timeline, ms: number): string {
  const scale = toTimeScale(timeline);
  const index = Math.min(Math.floor((ms - scale.from - 1) / scale.bucketMs), lastBucket(timeline));
  const said = timeline.lanes
    .map(({ team, counts }) => ({ team, count: counts[Math.max(index, 0)] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ team, count }) => `${team} ${count}`);
  const marks = timeline.marks.filter(({ at }) => Date.parse(at) === ms).map(describeMark);
  const words = [...marks, said.length > 0 && `said here: ${said.join(", ")}`].filter(
    (part) => part !== false,
  );
  return words.length > 0 ? words.join("; ") : "nothing was said here";
}

export function describeMark({ kind, by, version, sequence }: TimelineMark): string {
  const who = by ?? "someone";
  const number = sequence === null ? "" : ` (${sequence})`;
  switch (kind) {
    case "ask":
      return `${who} asked${number}`;
    case "decision":
      return `${who} decided${number}`;
    case "document":
      return `${who} wrote document v${version}`;
    case "metadata":
      return `${who} changed title or description`;
    case "joined":
      return `${who} joined`;
    case "left":
      return `${who} left`;
    case "held":
      return `${who} held the session`;
    case "concluded":
      return `${who} concluded the session`;
  }
}

function lastBucket({ lanes }: Timeline): number {
  return Math.max(0, (lanes[0]?.counts.length ?? 1) - 1);
}
