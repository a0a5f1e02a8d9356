import { errorCodes, type MerkleError } from "./errors.js";

/** Notices that a model sends one refused call again and again, which no repetition makes right (MCP-14). */
export interface RefusedCalls {
  /** How long the answer is to be held back, and the error to answer with. A call that was served is none. */
  note(
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
    note(name, args, error) {
      // An error that may pass says by itself when to try again.
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
    // Nested so deeply that it cannot be written; nothing else is like it.
    return name;
  }
}
