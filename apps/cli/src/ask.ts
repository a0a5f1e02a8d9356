import { interruptedError } from "./cli-error.js";
import type { Flags } from "./flags.js";

/** Whether somebody is there to answer a question. */
export function canAsk(flags: Flags): boolean {
  return flags["input"] !== false && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal, by stderr; Ctrl+C ends the command as it does anywhere else. */
export async function askYesOrNo(message: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import("./prompts.js");
  try {
    return await confirm({ message, default: false }, { output: process.stderr, signal });
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw interruptedError();
    throw error;
  }
}
