/** The last times that something took: for a look at how it is now, where a histogram tells how it was since the start. */
export interface RecentTimes {
  add(milliseconds: number): void;
  /** The time that this share of them stayed below; 0 where nothing is known. */
  percentile(share: number): number;
}

const keptMax = 1_000;

export function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  let next = 0;
  return {
    add(milliseconds) {
      times[next] = milliseconds;
      next = (next + 1) % keptMax;
    },
    percentile(share) {
      const sorted = times.toSorted((a, b) => a - b);
      const time = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return Math.round(time * 100) / 100;
    },
  };
}
