import { limits } from "../core/limits.js";
import type { Operation } from "./operation.js";

/**
 * Maximum wait for a client that gets no progress notifications. Some clients abort a call after 30 s without
 * any output.
 */
const silentSecondsMax = limits.waitSecondsMax - 1;

interface ToolWait {
  /** How long a wait lasts if the call has no timeout. Set by `mcp_wait_s`. */
  readonly defaultSeconds: number;
  /**
   * The token with which the call requested progress notifications. The notifications show the client that
   * the call is still active.
   */
  readonly progressToken: unknown;
}

/**
 * Sets how long a wait over MCP blocks (MCP-15). A timeout that is not a number stays as it is, and the
 * operation then refuses it.
 */
export function withToolWait<Input>(
  { kind, input: { shape } }: Operation,
  input: Input,
  { defaultSeconds, progressToken }: ToolWait,
): Input {
  if (kind !== "wait" || !("timeout" in shape)) return input;
  const { timeout = defaultSeconds } = Object(input ?? {});
  if (typeof timeout !== "number") return input;
  const longest = progressToken === undefined ? silentSecondsMax : limits.waitSecondsMax;
  return { ...input, timeout: Math.min(timeout, longest) };
}
