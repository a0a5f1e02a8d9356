export type Chance = ReturnType<typeof createChance>;

/** Creates a pseudo-random generator. The same seed gives the same numbers. */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    // The mulberry32 algorithm.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    /** Returns a whole number from 0 to `limit - 1`. */
    below,
    pick<Of>(among: readonly Of[]): Of {
      const picked = among[below(among.length)];
      if (picked === undefined) throw new RangeError("There is nothing to pick from.");
      return picked;
    },
  };
}
