/**
 * The variables that Claude Code gives to the processes that it starts. A Claude Code launched by one of them would take itself
 * for a part of that session. Variables that users set themselves, such as `CLAUDE_CONFIG_DIR`, are not among them.
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

/** The environment of a launched client: the user's, without that of an agent's session around us. */
export function toClientEnvironment(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !ofOuterSession.has(name));
  return { ...Object.fromEntries(own), ...added };
}
