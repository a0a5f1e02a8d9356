import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLost, isOutOfResources, isSerializationFailure, isTimeout } from "@merkle/db";
import { limits } from "@merkle/wire/limits";

/**
 * Retries while the database is unreachable or rows are locked, for as long as an outcome may stay unknown
 * (FEED-7). Use only for idempotent work: reads, and writes that detect an earlier attempt.
 *
 * @param since - when the call began, in `performance.now()` time
 */
export async function retryWhileLost<Result>(
  attempt: () => Promise<Result>,
  since = performance.now(),
): Promise<Result> {
  let lost: unknown;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (isConnectionLost(error)) lost = error;
      const isTransient = isConnectionLost(error) || isTimeout(error) || isSerializationFailure(error);
      // An earlier attempt with an unknown outcome may have been committed, no matter how a later attempt
      // failed.
      if (!isTransient) throw isOutOfResources(error) ? (lost ?? error) : error;
      if (performance.now() - since > limits.unknownOutcomeMsMax) throw lost ?? error;
      await delay(Math.min(20 * 2 ** tries, 250));
    }
  }
}
