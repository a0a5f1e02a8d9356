import { findAgentMark } from "../core/agent-shell.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { type ForeignFile, trustFile } from "../settings/foreign-file.js";
import { canAsk, createPrompter } from "./ask.js";
import type { CommandContext } from "./command.js";

type TrustPromptContext = Pick<CommandContext, "flags" | "io" | "output" | "signal">;

/**
 * Returns whether a person is at the terminal who can decide whom to trust. False in agents' shells and in
 * scripts.
 */
export function isPersonAtTerminal(context: Pick<CommandContext, "flags" | "io">): boolean {
  return canAsk(context) && findAgentMark(context.io.env) === undefined;
}

/**
 * Throws unless a person is at the terminal.
 *
 * @throws CliError `usage` with the command for that person to run
 */
export function requirePerson(
  context: Pick<CommandContext, "flags" | "io">,
  { what, run }: { what: string; run: string },
): void {
  if (isPersonAtTerminal(context)) return;
  throw usageError(`${what} needs a person. Run it in your own terminal, not from an agent.`, run);
}

/**
 * Asks the person at the terminal whether to trust a project's file, and stores their decision to trust it.
 *
 * @throws CliError `not_trusted` unless the person confirms
 */
export async function askToTrust(
  home: string,
  { file, context }: { file: ForeignFile; context: TrustPromptContext },
) {
  await confirmTrust(`${describe(file)}\nTrust its current content?`, context);
  trustFile(home, file);
}

/** Asks the person to confirm. @throws CliError `not_trusted` unless they do */
export async function confirmTrust(message: string, context: TrustPromptContext): Promise<void> {
  if (await createPrompter(context).confirm({ message, default: false })) return;
  throw new CliError("not_trusted", "Nothing was trusted. Nothing changed.", {
    exitCode: exitCodes.refused,
  });
}

function describe({ path, says }: ForeignFile): string {
  return [`${path} says:`, ...says.map((each) => `  - ${each}`)].join("\n");
}
