import { isConnectionLost, isOutOfResources, isSerializationFailure, isTimeout, isTooSlow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Log, LogFields } from "./log.js";

/**
 * The one mapper from what went wrong to what its caller is told. What it does not know is logged in full and told in
 * brief (ERR-3).
 */
export function toMerkleError(error: unknown, log: Log, fields: LogFields): MerkleError {
  if (error instanceof MerkleError) return error;
  if (isConnectionLost(error)) {
    return new MerkleError(
      "unavailable",
      "The database does not answer, so it is not known whether this was done. Repeat it with the same idempotency_key: it will not be done twice.",
      { outcome: "unknown", retry_after_s: 1 },
      { cause: error },
    );
  }
  if (isTimeout(error) || isSerializationFailure(error)) {
    return new MerkleError(
      "unavailable",
      isTooSlow(error)
        ? "The database took longer for this than a call may; nothing was done. Ask for less, such as one session or a rarer word, or repeat it."
        : "Somebody else held what this needs for too long; nothing was done. Repeat it.",
      { outcome: "none", retry_after_s: 1 },
      { cause: error },
    );
  }
  if (isOutOfResources(error)) {
    log.error("the database has no room to write", { ...fields, error });
    return new MerkleError(
      "unavailable",
      "The database has no room to write (disk, memory or connections); nothing was done. Repeat it when there is.",
      { outcome: "none", retry_after_s: 10 },
      { cause: error },
    );
  }
  log.error("a request failed for a reason that nobody foresaw", { ...fields, error });
  return new MerkleError(
    "internal",
    "The broker made a mistake; its log says more. Repeating this may fail again.",
    {},
    {
      cause: error,
    },
  );
}
