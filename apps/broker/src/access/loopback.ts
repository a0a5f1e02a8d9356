import { StartError } from "../start-error.js";

/**
 * Refuses to listen where others can reach a broker that lets anyone in (AUTH-5).
 *
 * @throws StartError
 */
export function requireLoopback(host: string, insecureOpen: boolean): void {
  if (insecureOpen || isLoopback(host)) return;
  throw new StartError(
    "not_loopback",
    `Refusing to listen on ${host}: everybody on that network could read and write every session. ` +
      "Leave --host out to stay on this machine, or add --insecure-open if you mean it.",
  );
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
