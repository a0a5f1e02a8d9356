import { limits } from "../core/limits.js";
import type { Operation } from "./operation.js";

/** Some clients abort a call after 30 s without any output. */
const silentSecondsMax = limits.waitSecondsMax - 1;

interface ToolWait {
  /** The setting `mcp_wait_s`. */
  readonly defaultSeconds: number;
  /** The call's token for progress notifications, which show the client that the call is alive. */
  readonly progressToken: unknown;
}

/**
 * Sets how long a wait over MCP blocks (MCP-15). The operation itself refuses a timeout that is not a number.
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
