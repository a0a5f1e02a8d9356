import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import type { Output } from "../../command/output.js";

/**
 * Repeats a call until its work is done, because the work can take longer than one request. The broker
 * continues the work between the calls.
 */
export async function retryUntilDone<Result>(
  call: () => Promise<Result>,
  { output, signal }: { readonly output: Pick<Output, "note">; readonly signal: AbortSignal },
): Promise<Result> {
  for (let hasNoted = false; ; hasNoted = true) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = findPauseMs(error);
      if (pauseMs === undefined) throw error;
      if (!hasNoted) output.note("  this takes a while; the broker continues even if you press Ctrl+C");
      await delay(pauseMs, undefined, { signal });
    }
  }
}

function findPauseMs(error: unknown): number | undefined {
  if (!(error instanceof MerkleError) || error.code !== "unavailable") return undefined;
  const seconds = error.details["retry_after_s"];
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}
