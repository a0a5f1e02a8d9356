/**
 * The environment variables of this process that agents get: paths, locale, and Claude Code's own
 * configuration and credentials. Any other variable may be a secret of the broker.
 */
const passed: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "TZ",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_MODEL",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CONFIG_DIR",
]);

/**
 * Returns an agent's environment: the allowed variables of this process, those named in the configuration,
 * and those for the agent's job.
 */
export function toChildEnvironment(
  env: NodeJS.ProcessEnv,
  {
    names = [],
    given,
  }: { readonly names?: readonly string[]; readonly given: Readonly<Record<string, string>> },
): Readonly<Record<string, string>> {
  const isPassed = (name: string) => passed.has(name) || name.startsWith("LC_") || names.includes(name);
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => isPassed(entry[0]) && entry[1] !== undefined,
  );
  return { ...Object.fromEntries(entries), ...given };
}
