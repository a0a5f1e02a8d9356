import { MerkleError } from "@merkle/wire";

/**
 * Limits the wait for a database that has stopped responding. The database's own timeouts (DB-10) apply only
 * while the database responds. The work may still complete after the timeout.
 *
 * @throws unavailable if `work` has not settled in time
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  outcome: "none" | "unknown",
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(silent(outcome)), ms);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function silent(outcome: "none" | "unknown"): MerkleError {
  return new MerkleError(
    "unavailable",
    outcome === "none"
      ? "The database does not respond, so nothing was done. Try again in a few seconds."
      : "The database does not respond, so it is not known whether this was done. Repeat the call with the same idempotency key: it will not be done twice.",
    { outcome, retry_after_s: 5 },
  );
}
