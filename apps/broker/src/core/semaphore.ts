import { MerkleError } from "@merkle/wire";

/** Lets so many at once do what takes long. */
export interface Places {
  /** @throws unavailable when all are taken */
  take(): Place;
}

export interface Place {
  /** May be called twice. */
  leave(): void;
}

export function createPlaces(max: number, what: string): Places {
  let taken = 0;
  return {
    take() {
      if (taken >= max) throw noPlace(max, what);
      taken += 1;
      let isHeld = true;
      return {
        leave() {
          if (isHeld) taken -= 1;
          isHeld = false;
        },
      };
    },
  };
}

function noPlace(max: number, what: string): MerkleError {
  return new MerkleError(
    "unavailable",
    `The broker does ${max} ${what} at once, and that many are under way. Try again in a moment.`,
    { outcome: "none", retry_after_s: 5 },
  );
}
