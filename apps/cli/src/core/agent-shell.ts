import { usageError } from "./cli-error.js";

/** The variables that `merkle launch` and the clients of agents set in the shells that they start. */
const marksOfAgents = [
  "MERKLE_SESSION",
  "MERKLE_TEAM",
  "MERKLE_PEER",
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "AI_AGENT",
  "CODEX_SANDBOX",
  "CODEX_THREAD_ID",
  "OPENCODE",
  "GEMINI_CLI",
  "QWEN_CODE",
  "COPILOT_CLI",
  "CURSOR_AGENT",
] as const;

/** The variable that marks an agent's shell, where nothing is done that only a person may do (CLI-90). */
export function findAgentMark(env: NodeJS.ProcessEnv): string | undefined {
  return marksOfAgents.find((name) => env[name]?.trim());
}

/**
 * Refuses to let anyone in from an agent's shell: the member's key is available there, but the member is not (PERSON-11).
 *
 * @throws CliError `usage`
 */
export function refuseAgentShell({ agentShell }: { readonly agentShell: string | undefined }): void {
  if (agentShell === undefined) return;
  throw usageError(
    `Only a person can invite others, and this is an agent's shell (${agentShell}). Run the command in your own terminal.`,
  );
}
