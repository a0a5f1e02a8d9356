import { limits } from "../core/limits.js";
import type { Operation } from "./operation.js";

/** Some clients end a call after 30 s of silence. */
const silentSecondsMax = limits.waitSecondsMax - 1;

interface ToolWait {
  /** The setting `mcp_wait_s`. */
  readonly defaultSeconds: number;
  /** Of the call, by which its client hears that it goes on. */
  readonly progressToken: unknown;
}

/** Sets how long a wait over MCP blocks (MCP-15). A timeout that is no number is left to the operation to refuse. */
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
