/** The variables that `merkle launch`, and the clients of agents, put into the environment of what they start. */
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

/** The variable that shows this to be an agent's shell, where nothing is done that only a human may (CLI-90). */
export function findAgentMark(env: NodeJS.ProcessEnv): string | undefined {
  return marksOfAgents.find((name) => env[name]?.trim());
}
