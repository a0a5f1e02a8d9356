import { MerkleError } from "@merkle/wire";

/** Lets so many at once do what takes long. */
export interface Semaphore {
  /** @throws unavailable when all are taken */
  take(): Permit;
}

export interface Permit {
  /** May be called twice. */
  release(): void;
}

export function createSemaphore(max: number, what: string): Semaphore {
  let taken = 0;
  return {
    take() {
      if (taken >= max) throw noPermit(max, what);
      taken += 1;
      let isHeld = true;
      return {
        release() {
          if (isHeld) taken -= 1;
          isHeld = false;
        },
      };
    },
  };
}

function noPermit(max: number, what: string): MerkleError {
  return new MerkleError(
    "unavailable",
    `The broker does ${max} ${what} at once, and that many are under way. Try again in a moment.`,
    { outcome: "none", retry_after_s: 5 },
  );
}
