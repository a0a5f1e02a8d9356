const seedBytes = 32;

/** Generates a random seed of 32 bytes for a key. The seed must be kept as secret as the key itself. */
export function drawSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(seedBytes));
}
