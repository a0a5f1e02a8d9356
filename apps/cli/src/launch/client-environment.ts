/**
 * Variables that Claude Code sets for its child processes. With these variables, a Claude Code process
 * launched from such a child would treat itself as part of the outer session. Variables that users set, such
 * as `CLAUDE_CONFIG_DIR`, are not in this list.
 */
const ofOuterSession: ReadonlySet<string> = new Set([
  "AI_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PROJECT_DIR",
]);

/**
 * Returns the environment for a launched client: the user's environment without the variables of a
 * surrounding agent session.
 */
export function toClientEnvironment(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !ofOuterSession.has(name));
  return { ...Object.fromEntries(own), ...added };
}
