import { findAgentMark } from "../core/agent-shell.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { type ForeignFile, trustFile } from "../settings/foreign-file.js";
import { canAsk, createPrompter } from "./ask.js";
import type { CommandContext } from "./command.js";

type Asking = Pick<CommandContext, "flags" | "io" | "output" | "signal">;

/** Whether a person is at the terminal and can decide whom to trust. An agent's shell and a script have none. */
export function isPersonThere(context: Pick<CommandContext, "flags" | "io">): boolean {
  return canAsk(context) && findAgentMark(context.io.env) === undefined;
}

/**
 * Requires that a person is at the terminal.
 *
 * @throws CliError `usage`, with the command that a person runs
 */
export function requirePerson(
  context: Pick<CommandContext, "flags" | "io">,
  { what, run }: { what: string; run: string },
): void {
  if (isPersonThere(context)) return;
  throw usageError(`${what} needs a person. Run it in your own terminal, not from an agent.`, run);
}

/**
 * Asks the person at the terminal about a project's file, and trusts it from then on.
 *
 * @throws CliError `not_trusted` for any answer but yes
 */
export async function askToTrust(home: string, { file, context }: { file: ForeignFile; context: Asking }) {
  await confirmTrust(`${describe(file)}\nTrust its current content?`, context);
  trustFile(home, file);
}

/** @throws CliError `not_trusted` for any answer but yes */
export async function confirmTrust(message: string, context: Asking): Promise<void> {
  if (await createPrompter(context).yesOrNo({ message, default: false })) return;
  throw new CliError("not_trusted", "Nothing was trusted. Nothing changed.", {
    exitCode: exitCodes.refused,
  });
}

function describe({ path, says }: ForeignFile): string {
  return [`${path} says:`, ...says.map((each) => `  - ${each}`)].join("\n");
}
