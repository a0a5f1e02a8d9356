import { isClearText } from "../core/clear-text.js";
import { shellWord } from "./shell.js";

export interface InstallLineOptions {
  /** The broker's address, as reachable from the machine that runs the command. */
  readonly base: string;
  /** SHA-256 of the certificate's public key in base64, unless a public authority signed the certificate. */
  readonly keyPin?: string | null | undefined;
}

/**
 * Returns the shell command that installs the CLI from a broker. Returns null if the connection is
 * unencrypted, because an attacker on the network could replace the program.
 */
export function installLine({ base, keyPin }: InstallLineOptions): string | null {
  if (isClearText(base)) return null;
  const pinned = keyPin ? `-k --pinnedpubkey 'sha256//${keyPin}' ` : "";
  return `curl -fsSL ${pinned}${base}/install.sh | sh`;
}

export interface LaunchLineOptions {
  /** Slug of the session to join. Without it and `title`, `merkle launch` asks. */
  readonly session?: string | null | undefined;
  /** Title of a new session. */
  readonly title?: string | undefined;
  readonly team?: string | undefined;
  /** Name of the agent's client, as for `--client`. Default: claude. */
  readonly client?: string | undefined;
  /** Mesh of the session. Default: main. */
  readonly mesh?: string | undefined;
}

/** Returns the command that starts an agent in the current folder. It runs wherever the CLI is installed. */
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
