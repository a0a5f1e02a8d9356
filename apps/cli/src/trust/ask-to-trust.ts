import { canAsk, createPrompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { findAgentMark } from "../identity/agent-shell.js";
import { type ForeignFile, trustFile } from "./foreign-file.js";

type Asking = Pick<CommandContext, "flags" | "io" | "output" | "signal">;

/** Whether a person is there to decide whom to trust: not an agent with a shell, nor a script. */
export function isPersonThere(context: Pick<CommandContext, "flags" | "io">): boolean {
  return canAsk(context) && findAgentMark(context.io.env) === undefined;
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
