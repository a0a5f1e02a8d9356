import { StartError } from "../../core/start-error.js";

/** The mode of authentication: whoever reaches the broker is let in, or members alone (AUTH-5). */
export type AuthMode = "open" | "invite";

/**
 * Decides who is let in. A broker that others can reach, by its address or through a proxy, lets members alone in; to let
 * everybody in there takes two words, so that nobody does it by accident.
 *
 * @throws StartError for `open` where others can reach it, without `insecureOpen`
 */
export function chooseAuth({
  host,
  auth,
  insecureOpen = false,
  trustedProxies = [],
  hasSources = false,
}: {
  readonly host: string;
  readonly auth?: AuthMode | undefined;
  readonly insecureOpen?: boolean | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  /** Whether files are worked on: other users of this machine could not read these by themselves. */
  readonly hasSources?: boolean | undefined;
}): AuthMode {
  const isReachable = !isLoopback(host) || trustedProxies.length > 0;
  const isForMembers = (isReachable || hasSources) && !insecureOpen;
  if (auth === "open" && isForMembers) throw isReachable ? refuseOpen(host) : refuseOpenFiles();
  return auth ?? (isForMembers ? "invite" : "open");
}

function refuseOpenFiles(): StartError {
  return new StartError(
    "not_loopback",
    "Refusing to let everybody in while agent.roots names folders: every user and program of this machine could read and change their files. " +
      "Leave --auth open out, and members alone are let in, or add --insecure-open if you mean it.",
  );
}

function refuseOpen(host: string): StartError {
  const where = isLoopback(host) ? "behind a proxy" : `on ${host}`;
  return new StartError(
    "not_loopback",
    `Refusing to let everybody in ${where}: whoever is on that network could read and write every session. ` +
      "Leave --auth open out, and members alone are let in, or add --insecure-open if you mean it.",
  );
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
