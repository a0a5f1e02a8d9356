import { MerkleError } from "@merkle/wire";
import type { HostedRequest } from "./hosts.js";

/**
 * Refuses a change that no page of exactly this address asks for. A browser adds its cookies to whatever is sent to a host,
 * also for pages of the host's other ports; what says whose page it was is the Origin, which no page can set. So a change
 * that only a cookie speaks for needs one, and needs it to be the very address that was asked (GUARD-3).
 *
 * @throws forbidden
 */
export function requireSameOrigin({ host, forwardedHost, origin, secure = false }: HostedRequest): void {
  const [, scheme = "", page] = /^(https?):\/\/([^/?#@]+)$/.exec(origin ?? "") ?? [];
  const asked = [host, forwardedHost].map((each) => each && withoutDefaultPort(each, scheme));
  // A proxy that is not trusted may speak https for a broker that does not know of it; the reverse does not happen.
  const mayBeOurs = scheme === "https" || !secure;
  if (mayBeOurs && page !== undefined && asked.includes(page)) return;
  const came =
    origin === undefined
      ? "this request has no Origin"
      : `this request has the Origin ${JSON.stringify(origin.slice(0, 100))}`;
  throw new MerkleError(
    "forbidden",
    `Requests that use a browser's sign-in are accepted only from pages at the same address, ${JSON.stringify(host?.slice(0, 100))}, but ${came}. ` +
      "Programs must use a token: Authorization: Bearer mkt_….",
  );
}

function withoutDefaultPort(host: string, scheme: string): string {
  return host.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}
