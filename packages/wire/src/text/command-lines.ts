import { isClearText } from "../core/clear-text.js";
import { toShellWord } from "./shell.js";

export interface InstallLineOptions {
  /** The broker's address, as seen from the machine on which the command will run. */
  readonly base: string;
  /**
   * SHA-256 of the public key in the broker's certificate, in base64. Null if a public authority signed the
   * certificate.
   */
  readonly keyPin?: string | null | undefined;
}

/**
 * Returns the shell command that installs the CLI from a broker. Returns null if the connection is not
 * encrypted, because an attacker on the network could then replace the program.
 */
export function toInstallLine({ base, keyPin }: InstallLineOptions): string | null {
  if (isClearText(base)) return null;
  const pinned = keyPin ? `-k --pinnedpubkey 'sha256//${keyPin}' ` : "";
  return `curl -fsSL ${pinned}${base}/install.sh | sh`;
}

export interface LaunchLineOptions {
  /** Slug of the session to join. If both this and `title` are missing, `merkle launch` asks the user. */
  readonly session?: string | null | undefined;
  /** Title of a new session to create. */
  readonly title?: string | undefined;
  readonly team?: string | undefined;
  /** Name of the agent's client, as in the option `--client`. Default: claude. */
  readonly client?: string | undefined;
  /** Name of the session's mesh. Default: main. */
  readonly mesh?: string | undefined;
}

/**
 * Returns the command that starts an agent in the current folder, on any machine on which the CLI is
 * installed.
 */
export function toLaunchLine({ session, title, team, client, mesh }: LaunchLineOptions): string {
  const flags = {
    client: client === "claude" ? undefined : client,
    mesh: mesh === "main" ? undefined : mesh,
    new: title,
    session: session ?? undefined,
    team,
  };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return ["merkle launch", ...given.map(([name, value]) => `--${name} ${toShellWord(String(value))}`)].join(
    " ",
  );
}
