import { setTimeout as pause } from "node:timers/promises";

/** @throws what `late` gives, when the work is not done in time */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const timer = new AbortController();
  const deadline = pause(ms, undefined, { signal: timer.signal }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    timer.abort();
  }
}
