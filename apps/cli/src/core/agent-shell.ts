import { usageError } from "./cli-error.js";

/** Environment variables that `merkle launch` and agents' clients set in shells they start. */
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

/**
 * Returns the variable that marks this as an agent's shell, if any. Actions reserved for people are refused
 * there (CLI-90).
 */
export function findAgentMark(env: NodeJS.ProcessEnv): string | undefined {
  return marksOfAgents.find((name) => env[name]?.trim());
}

/**
 * Refuses to invite others from an agent's shell. The member's key is available there, but the member may not
 * be present (PERSON-11).
 *
 * @throws CliError `usage`
 */
export function refuseAgentShell({ agentShell }: { readonly agentShell: string | undefined }): void {
  if (agentShell === undefined) return;
  throw usageError(
    `Only a person can invite others, and this is an agent's shell (${agentShell}). Run the command in your own terminal.`,
  );
}
