import { isClearText } from "../core/clear-text.js";
import { shellWord } from "./shell.js";

export interface InstallLineOptions {
  /** The broker's address, as the machine that runs the line reaches it. */
  readonly base: string;
  /** SHA-256 of the certificate's public key in base64, where no public authority signed the certificate. */
  readonly keyPin?: string | null | undefined;
}

/**
 * The shell command that installs the CLI from a broker, or null where the way there is clear text: anyone on it could
 * replace the program.
 */
export function installLine({ base, keyPin }: InstallLineOptions): string | null {
  if (isClearText(base)) return null;
  const pinned = keyPin ? `-k --pinnedpubkey 'sha256//${keyPin}' ` : "";
  return `curl -fsSL ${pinned}${base}/install.sh | sh`;
}

export interface LaunchLineOptions {
  /** The slug of the session to join; without it and `title`, `merkle launch` asks. */
  readonly session?: string | null | undefined;
  /** The title of a new session. */
  readonly title?: string | undefined;
  readonly team?: string | undefined;
  /** The agent's client, by the name that `--client` takes. Default: claude. */
  readonly client?: string | undefined;
  /** The session's mesh. Default: main. */
  readonly mesh?: string | undefined;
}

/** The command that starts an agent in the current folder. Runs wherever the CLI is installed. */
export function launchLine({ session, title, team, client, mesh }: LaunchLineOptions): string {
  const flags = {
    client: client === "claude" ? undefined : client,
    mesh: mesh === "main" ? undefined : mesh,
    new: title,
    session: session ?? undefined,
    team,
  };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return ["merkle launch", ...given.map(([name, value]) => `--${name} ${shellWord(String(value))}`)].join(
    " ",
  );
}
