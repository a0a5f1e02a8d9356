import { CliError, exitCodes } from "../core/cli-error.js";

/** The demo did not go as the story has it: what was expected, and what came. */
export function failure(expected: string, came: string): CliError {
  return new CliError("demo_failed", `The demo went wrong. Expected was ${expected}; instead ${came}.`, {
    exitCode: exitCodes.unexpected,
    next: ["merkle demo", "merkle doctor"],
  });
}

/** @throws the demo's failure unless both are the same */
export function requireSame(what: string, expected: unknown, found: unknown): void {
  const [wanted, came] = [JSON.stringify(expected), JSON.stringify(found)];
  if (wanted !== came) throw failure(`${what} ${wanted}`, `it is ${came}`);
}
