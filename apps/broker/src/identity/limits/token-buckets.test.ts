import { describe, expect, it } from "vitest";
import { toAddressBlock } from "../../core/address-block.js";
import { createTokenBuckets } from "./token-buckets.js";

function startBuckets(limit: { per_second: number; burst: number }, countMax = 100) {
  const clock = { ms: 1_000_000.3 };
  const buckets = createTokenBuckets({ limit, countMax, now: () => clock.ms });
  return { buckets, clock };
}

function takeAll(take: () => number): number {
  let taken = 0;
  while (take() === 0) taken += 1;
  return taken;
}

describe("[GUARD-4] a rate", () => {
  it("lets burst through at once, and from then on so many a second, whatever the key did before", () => {
    for (const [per_second, burst] of [
      [10, 5],
      [0.5, 3],
      [1_000, 10_000],
      [3, 1],
      [7, 100],
    ] as const) {
      const { buckets, clock } = startBuckets({ per_second, burst });
      const take = () => buckets.take("a");
      expect(takeAll(take)).toBe(burst);
      expect(buckets.take("b")).toBe(0);
      // Refused attempts take no tokens, so the reported delay is exact.
      for (let n = 0; n < 5; n += 1) {
        clock.ms += take() - 0.01;
        expect(take()).toBeGreaterThan(0);
        clock.ms += 0.02;
        expect(takeAll(take)).toBe(1);
      }
      clock.ms += 2_000 / per_second;
      expect(takeAll(take)).toBe(Math.min(2, burst));
      clock.ms += (1_000 * 10 * burst) / per_second;
      expect(takeAll(take)).toBe(burst);
    }
  });

  it("gets back what was taken in vain", () => {
    const { buckets } = startBuckets({ per_second: 1, burst: 2 });
    buckets.take("a");
    buckets.giveBack("a");
    buckets.giveBack("of nobody");
    expect(takeAll(() => buckets.take("a"))).toBe(2);
  });

  it("[LIMIT-1] is held for countMax keys, and forgets the longest unused, full ones first", () => {
    const { buckets, clock } = startBuckets({ per_second: 1, burst: 2 }, 3);
    for (const key of ["a", "b", "c", "a"]) buckets.take(key);
    expect(buckets.size).toBe(3);
    buckets.take("d");
    expect(buckets.size).toBe(3);
    expect(takeAll(() => buckets.take("a"))).toBe(0);
    expect(takeAll(() => buckets.take("b"))).toBe(2);
    clock.ms += 5_000;
    buckets.take("e");
    expect(buckets.size).toBe(1);
    for (let n = 0; n < 10_000; n += 1) buckets.take(`one of many ${n}`);
    expect(buckets.size).toBe(3);
  });
});

it("[GUARD-5] an address counts for itself, this machine's own as one, and one of IPv6 with its whole /64", () => {
  for (const [address, block] of [
    ["203.0.113.9", "203.0.113.9"],
    ["", ""],
    ["127.0.0.1", "127.0.0.0/8"],
    ["127.200.3.4", "127.0.0.0/8"],
    ["::1", "127.0.0.0/8"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:DB8:0:0:ffff:ffff:ffff:ffff", "2001:db8:0:0::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:3:3:4:5:6", "2001:db8:1:3::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
  ])
    expect(toAddressBlock(address ?? ""), address).toBe(block);
});
