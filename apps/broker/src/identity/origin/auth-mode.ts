import { StartError } from "../../core/start-error.js";

/** The authentication mode: `open` admits anyone who can reach the broker, `invite` only members (AUTH-5). */
export type AuthMode = "open" | "invite";

/** The options that determine whether other machines can reach a broker. */
export interface ReachOptions {
  readonly host: string;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly publicUrl?: string | null | undefined;
}

/**
 * Chooses the authentication mode. A broker that other machines can reach, by its address or through a proxy,
 * admits only members by default. Such a broker admits everyone only if `insecureOpen` is set, so that no one
 * opens it by accident.
 *
 * @throws StartError for `open` if others can reach the broker, without `insecureOpen`
 */
export function chooseAuth({
  auth,
  insecureOpen = false,
  hasSources = false,
  ...reachOptions
}: ReachOptions & {
  readonly auth?: AuthMode | undefined;
  readonly insecureOpen?: boolean | undefined;
  /** Whether agents work on files that other users of this machine could not read without the broker. */
  readonly hasSources?: boolean | undefined;
}): AuthMode {
  const reach = describeReach(reachOptions);
  const isForMembers = (reach !== null || hasSources) && !insecureOpen;
  if (auth === "open" && isForMembers) throw reach === null ? refuseOpenFiles() : refuseOpen(reach);
  return auth ?? (isForMembers ? "invite" : "open");
}

/** Returns a description of how other machines can reach a broker, or null if only this machine can. */
export function describeReach({
  host,
  trustedProxies = [],
  allowedHosts = [],
  publicUrl = null,
}: ReachOptions): string | null {
  if (!isLoopback(host)) return `on ${host}`;
  if (trustedProxies.length > 0) return "behind a proxy";
  if (publicUrl !== null && !isLoopbackUrl(publicUrl)) return `at its public URL ${publicUrl}`;
  const name = allowedHosts.find((each) => !isLoopbackUrl(`http://${each}`));
  return name === undefined ? null : `as ${name}`;
}

function refuseOpenFiles(): StartError {
  return new StartError(
    "not_loopback",
    "Refusing to start open to anyone while agent.roots names folders: every user and program on this machine could read and change their files. " +
      "Leave out --auth open, so that only members can connect, or add --insecure-open to allow it.",
  );
}

function refuseOpen(reach: string): StartError {
  return new StartError(
    "not_loopback",
    `Refusing to start open to anyone ${reach}: everyone on that network could read and write every session. ` +
      "Leave out --auth open to admit only members, or add --insecure-open to allow it.",
  );
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname.endsWith(".localhost") || isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"));
}
