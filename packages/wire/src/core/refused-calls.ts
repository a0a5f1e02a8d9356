import { errorCodes, type MerkleError } from "./errors.js";

/** Detects a model that repeats a refused call, although a retry cannot succeed (MCP-14). */
export interface RefusedCalls {
  /**
   * Records a call's outcome. For a refused call, returns the delay and the advice. A successful call resets
   * the count.
   */
  record(
    name: string,
    args: unknown,
    error: MerkleError | null,
  ): { readonly delayMs: number; readonly advice: string };
}

const toleratedMax = 2;
const delayMsMax = 10_000;

export function createRefusedCalls(): RefusedCalls {
  let last = "";
  let times = 0;
  return {
    record(name, args, error) {
      // A temporary error already says when to retry, so it is not counted.
      const isFinal = error !== null && !errorCodes[error.code].retry;
      const call = isFinal ? toText(name, args) : "";
      times = isFinal && call === last ? times + 1 : 1;
      last = call;
      if (!isFinal || times <= toleratedMax) return { delayMs: 0, advice: "" };
      return {
        delayMs: Math.min(delayMsMax, 1_000 * 2 ** (times - toleratedMax - 1)),
        advice: ` You have sent this same call ${times} times, and it is refused each time. Stop sending it: change it as this error says, or tell your human.`,
      };
    },
  };
}

function toText(name: string, args: unknown): string {
  try {
    return JSON.stringify([name, args]);
  } catch {
    // If the arguments are nested too deeply to serialise, only the operation's name is compared.
    return name;
  }
}
