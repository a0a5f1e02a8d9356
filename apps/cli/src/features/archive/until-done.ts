import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import type { Output } from "../../command/output.js";

/**
 * Repeats a call until its work is done, because the work can take longer than one request. The broker
 * continues the work between the calls.
 */
export async function untilDone<Result>(
  ask: () => Promise<Result>,
  { output, signal }: { readonly output: Pick<Output, "note">; readonly signal: AbortSignal },
): Promise<Result> {
  for (let told = false; ; told = true) {
    try {
      return await ask();
    } catch (error) {
      const pauseMs = pauseOf(error);
      if (pauseMs === undefined) throw error;
      if (!told) output.note("  this takes a while; the broker continues even if you press Ctrl+C");
      await delay(pauseMs, undefined, { signal });
    }
  }
}

function pauseOf(error: unknown): number | undefined {
  if (!(error instanceof MerkleError) || error.code !== "unavailable") return undefined;
  const seconds = error.details["retry_after_s"];
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}
