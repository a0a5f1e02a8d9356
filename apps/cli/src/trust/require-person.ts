import type { CommandContext } from "../command/command.js";
import { usageError } from "../core/cli-error.js";
import { isPersonThere } from "./ask-to-trust.js";

/**
 * Requires that a person decides whom to trust: not an agent with a shell, nor a script.
 *
 * @throws CliError `usage`, with what a person runs
 */
export function requirePerson(
  context: Pick<CommandContext, "flags" | "io">,
  { what, run }: { what: string; run: string },
): void {
  if (isPersonThere(context)) return;
  throw usageError(`${what} needs a person. Run it in your own terminal, not from an agent.`, run);
}
