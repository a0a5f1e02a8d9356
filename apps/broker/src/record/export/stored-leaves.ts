import type { Recorded } from "./recorded.js";

const tileLeaves = 256;
const hashBytes = 32;

/** The leaves of one log as its tiles have them, looked up from the first on. */
export interface StoredLeaves {
  /** The leaf of this entry, counted from 1; null where no tile has it. */
  find(number: number): Promise<Uint8Array | null>;
}

/** Keeps the one tile that is being read through. */
export function readStoredLeaves(recorded: Recorded, log: "feed" | "document"): StoredLeaves {
  let held: { readonly tile: number; readonly leaves: Uint8Array } | null = null;

  return {
    async find(number) {
      const tile = Math.floor((number - 1) / tileLeaves);
      if (held?.tile !== tile) held = { tile, leaves: await recorded.leaves(log, tile) };
      const start = ((number - 1) % tileLeaves) * hashBytes;
      return start < held.leaves.length ? held.leaves.subarray(start, start + hashBytes) : null;
    },
  };
}
