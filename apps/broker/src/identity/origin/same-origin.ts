import { MerkleError } from "@merkle/wire";
import type { HostedRequest } from "./hosts.js";

/**
 * Refuses a write unless a page at exactly the requested address sent it (GUARD-3). A browser adds a host's
 * cookies to requests from pages at any of the host's ports. Only the Origin header shows which page sent the
 * request, and pages cannot set it. A write that is authenticated only by a cookie therefore needs an Origin
 * that equals the requested address.
 *
 * @throws forbidden
 */
export function requireSameOrigin({ host, forwardedHost, origin, secure = false }: HostedRequest): void {
  const [, scheme = "", page] = /^(https?):\/\/([^/?#@]+)$/.exec(origin ?? "") ?? [];
  const requestedHosts = [host, forwardedHost].map((each) => each && withoutDefaultPort(each, scheme));
  // A proxy that is not trusted may serve https while the broker itself sees http. The reverse does not
  // happen.
  const mayBeOurs = scheme === "https" || !secure;
  if (mayBeOurs && page !== undefined && requestedHosts.includes(page)) return;
  const received =
    origin === undefined
      ? "this request has no Origin"
      : `this request has the Origin ${JSON.stringify(origin.slice(0, 100))}`;
  throw new MerkleError(
    "forbidden",
    `Requests that use a browser's sign-in are accepted only from pages at the same address, ${JSON.stringify(host?.slice(0, 100))}, but ${received}. ` +
      "Programs must use a token: Authorization: Bearer mkt_….",
  );
}

function withoutDefaultPort(host: string, scheme: string): string {
  return host.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}
