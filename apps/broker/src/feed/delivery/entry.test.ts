import { limits } from "@merkle/wire/limits";
import { describe, expect, it } from "vitest";
import type { Entry } from "./entry.js";
import { createRing } from "./entry.js";

/** Creates an entry with only the fields that a ring uses. */
function entry(sequence: number, bytes: number): Entry {
  return { sequence, bytes, peerId: null, isConclusion: false } as Entry;
}

function sequencesAfter(ring: ReturnType<typeof createRing>, after: number): number[] | undefined {
  return ring.findAfter(after)?.map((each) => each.sequence);
}

describe("a ring", () => {
  it("[LIMIT-1] keeps ringBytesPerSessionMax and drops its oldest above it", () => {
    const max = limits.ringBytesPerSessionMax;
    for (const [bytes, kept] of [
      [max - 1, [1, 2]],
      [max, [1, 2]],
      [max + 1, [2]],
    ] as const) {
      const budget = { bytes: 0 };
      const ring = createRing(0, budget);
      ring.push(entry(1, 100));
      ring.push(entry(2, bytes - 100));
      expect(sequencesAfter(ring, kept[0] - 1), `${bytes} bytes`).toEqual(kept);
      expect(budget.bytes).toBe(kept.length === 2 ? bytes : bytes - 100);
    }
  });

  it("[LIMIT-1] makes room when all rings together hold more than ringBytesTotalMax", () => {
    const max = limits.ringBytesTotalMax;
    for (const [others, kept] of [
      [max - 301, [1, 2]],
      [max - 300, [1, 2]],
      [max - 299, [2]],
    ] as const) {
      const budget = { bytes: others };
      const ring = createRing(0, budget);
      ring.push(entry(1, 100));
      ring.push(entry(2, 200));
      expect(sequencesAfter(ring, kept[0] - 1), `${others} bytes of others`).toEqual(kept);
      expect(budget.bytes).toBeLessThanOrEqual(max);
    }
  });

  it("answers null for what it has dropped, so that nobody takes a part for the whole", () => {
    const ring = createRing(0, { bytes: 0 });
    ring.push(entry(1, limits.ringBytesPerSessionMax));
    ring.push(entry(2, 1));
    expect(ring.findAfter(0)).toBeNull();
    expect(sequencesAfter(ring, 1)).toEqual([2]);
    ring.clear();
    expect(ring.findAfter(1)).toBeNull();
    expect(ring.findAfter(2)).toEqual([]);
  });
});
