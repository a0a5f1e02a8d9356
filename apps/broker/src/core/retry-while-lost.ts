import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLost, isOutOfResources, isSerializationFailure, isTimeout } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Awaitable } from "./awaitable.js";

/**
 * Tries again while the database is away, or somebody holds what is needed, for as long as an outcome may stay unknown
 * (FEED-7). Only for what can be done twice: reads, and writes that find their first attempt.
 *
 * @param since - when the caller came, on the clock of `performance.now()`
 */
export function retryWhileLost<Result>(
  attempt: () => Promise<Result>,
  since = performance.now(),
): Promise<Result> {
  return retryKnown(attempt, attempt(), since);
}

/**
 * The same for an attempt that may end at once, and then needs no promise. What it throws at once is no loss.
 *
 * @param args - what `attempt` needs, so that it need not be made a function anew for each call
 */
export function retryWhileLostOrKnown<Result, Args extends readonly unknown[]>(
  attempt: (...args: Args) => Awaitable<Result>,
  ...args: Args
): Awaitable<Result> {
  const first = attempt(...args);
  return first instanceof Promise ? retryOnceLost(attempt, args, first) : first;
}

function retryOnceLost<Result, Args extends readonly unknown[]>(
  attempt: (...args: Args) => Awaitable<Result>,
  args: Args,
  first: Promise<Result>,
): Promise<Result> {
  return retryKnown(() => attempt(...args), first, performance.now());
}

async function retryKnown<Result>(
  attempt: () => Awaitable<Result>,
  first: Promise<Result>,
  since: number,
): Promise<Result> {
  let lost: unknown;
  for (let tries = 0; ; tries += 1) {
    try {
      return await (tries === 0 ? first : attempt());
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
