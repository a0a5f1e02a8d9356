import type { Config } from "../config.js";
import { usageError } from "../core/cli-error.js";

/** Lets nobody in from a shell that an agent's client marks: the member's key is at hand there, and the member is not (PERSON-11). */
export function refuseAgentShell({ agentShell }: Pick<Config, "agentShell">): void {
  if (agentShell === undefined) return;
  throw usageError(
    `Only a person can invite others, and this is an agent's shell (${agentShell}). Run the command in your own terminal.`,
  );
}
