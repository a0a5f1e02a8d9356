import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLost, isOutOfResources, isSerializationFailure, isTimeout } from "@merkle/db";
import { limits } from "@merkle/wire/limits";

/**
 * Tries again while the database is away, or somebody holds what is needed, for as long as an outcome may stay unknown
 * (FEED-7). Only for what can be done twice: reads, and writes that find their first attempt.
 *
 * @param since - when the caller came, on the clock of `performance.now()`
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
      const mayPass = isConnectionLost(error) || isTimeout(error) || isSerializationFailure(error);
      // An attempt whose end nobody knows may have been committed, whatever a later one ran into.
      if (!mayPass) throw isOutOfResources(error) ? (lost ?? error) : error;
      if (performance.now() - since > limits.unknownOutcomeMsMax) throw lost ?? error;
      await delay(Math.min(20 * 2 ** tries, 250));
    }
  }
}
