import { canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { usageError } from "../core/cli-error.js";
import { findAgentMark } from "../identity/agent-shell.js";

/**
 * Requires that a person decides whom to trust: not an agent with a shell, nor a script.
 *
 * @throws CliError `usage`, with what a person runs
 */
export function requirePerson(
  context: Pick<CommandContext, "flags" | "io">,
  { what, run }: { what: string; run: string },
): void {
  if (canAsk(context) && findAgentMark(context.io.env) === undefined) return;
  throw usageError(`${what} needs a person. Run it in your own terminal, not from an agent.`, run);
}
