import { errorCodes, type MerkleError } from "../core/errors.js";

/** The least pause before a refused request is made again, whatever the broker says. */
const pauseMsMin = 50;

/** How long to wait before the same request can succeed; undefined when it never will, or nobody knows when. */
export function retryPauseMs({ code, details }: MerkleError): number | undefined {
  const seconds = details["retry_after_s"];
  if (!errorCodes[code].retry || typeof seconds !== "number") return undefined;
  return Math.max(seconds * 1000, pauseMsMin);
}
