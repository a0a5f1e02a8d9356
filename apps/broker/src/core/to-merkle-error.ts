import { isConnectionLost, isOutOfResources, isSerializationFailure, isTimeout, isTooSlow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Log, LogFields } from "./log.js";

/**
 * Converts any error to the error returned to the caller. An unknown error is logged in full, but the caller
 * gets only a short message (ERR-3).
 */
export function toMerkleError(error: unknown, log: Log, fields: LogFields): MerkleError {
  if (error instanceof MerkleError) return error;
  if (isConnectionLost(error)) {
    return new MerkleError(
      "unavailable",
      "The database does not respond, so it is not known whether this was done. Repeat the call with the same idempotency key: it will not be done twice.",
      { outcome: "unknown", retry_after_s: 1 },
      { cause: error },
    );
  }
  if (isTimeout(error) || isSerializationFailure(error)) {
    return new MerkleError(
      "unavailable",
      isTooSlow(error)
        ? "The database took too long, so nothing was done. Ask for less, such as one session or a rarer word, or try again."
        : "Another call kept the data locked for too long, so nothing was done. Try again.",
      { outcome: "none", retry_after_s: 1 },
      { cause: error },
    );
  }
  if (isOutOfResources(error)) {
    log.error("the database has no room to write", { ...fields, error });
    return new MerkleError(
      "unavailable",
      "The database has run out of disk space, memory or connections, so nothing was done. Try again once an admin has fixed that.",
      { outcome: "none", retry_after_s: 10 },
      { cause: error },
    );
  }
  log.error("a request failed unexpectedly", { ...fields, error });
  return new MerkleError(
    "internal",
    "The broker failed unexpectedly. Its log has the details. Trying again may fail in the same way.",
    {},
    {
      cause: error,
    },
  );
}
