import { usageError } from "./cli-error.js";

/** Environment variables that `merkle launch` and agents' clients set in the shells that they start. */
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
 * Returns the environment variable that marks this shell as an agent's, if any. Actions reserved for people
 * are refused in such a shell (CLI-90).
 */
export function findAgentMark(env: NodeJS.ProcessEnv): string | undefined {
  return marksOfAgents.find((name) => env[name]?.trim());
}

/**
 * Refuses to create invites from an agent's shell, which has access to the member's key although the member
 * may not be present (PERSON-11).
 *
 * @throws CliError `usage`
 */
export function refuseAgentShell({ agentShell }: { readonly agentShell: string | undefined }): void {
  if (agentShell === undefined) return;
  throw usageError(
    `Only a person can invite others, and this is an agent's shell (${agentShell}). Run the command in your own terminal.`,
  );
}
