import { hostname, networkInterfaces } from "node:os";
import { MerkleError } from "@merkle/wire";

/** Checks the host and origin of requests against the broker's host names (AUTH-8, AUTH-9, TLS-7). */
export interface HostGuard {
  /**
   * Refuses a request that is for another host or was sent by a page from another origin. Without this check,
   * any web page that a person opens could send requests to a broker on loopback, by DNS rebinding or directly.
   *
   * @throws forbidden
   */
  check(request: HostedRequest): void;
  /**
   * Returns whether a client that connected to this origin reached this broker (HELLO-5). The origin must be
   * one of the broker's names at its own port, its public URL, or an allowed host. The public URL and the
   * allowed hosts may belong to a proxy or a container.
   */
  isOwnOrigin(origin: string): boolean;
}

/** The parts of a request that show its target host and the page that sent it. */
export interface HostedRequest {
  readonly host?: string | undefined;
  /**
   * The host that the client requested, as reported by a trusted proxy. This host too must be one of the
   * broker's hosts, so that a proxy cannot widen access.
   */
  readonly forwardedHost?: string | undefined;
  readonly origin?: string | undefined;
  /** The Fetch Metadata headers, which browsers add to requests. Pages can neither set nor remove them. */
  readonly fetched?: FetchMetadata | undefined;
  /** Whether the request was sent over TLS. */
  readonly secure?: boolean | undefined;
  /**
   * The target in the request line. If it is an absolute URL, it takes precedence over the Host header (RFC
   * 9112, section 3.2.2).
   */
  readonly target?: string | undefined;
}

/** The request's method, and its `Sec-Fetch-Site`, `-Mode` and `-Dest`. */
export interface FetchMetadata {
  readonly method: string | undefined;
  readonly site: string;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

export interface HostGuardOptions {
  /** The address that the broker listens on. A wildcard means every address of the machine. */
  readonly listenHost: string;
  /**
   * Additional host names, such as a reverse proxy's name. If a name includes a port, only pages at that port
   * may send requests.
   */
  readonly allowedHosts: readonly string[];
  /** Returns the address that the broker listens on, such as `http://127.0.0.1:7423`. Empty before it listens. */
  readonly getListeningUrl: () => string;
  /** Returns the current public URL. */
  readonly findPublicUrl: () => string | null;
  /** Returns the host names in the broker's current certificate. */
  readonly listCertifiedNames?: (() => readonly string[]) | undefined;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

export function createHostGuard({
  listenHost,
  allowedHosts,
  getListeningUrl,
  findPublicUrl,
  listCertifiedNames = () => [],
}: HostGuardOptions): HostGuard {
  const fixed = new Set([...loopbackNames, ...allowedHosts.map(toHostname), ...listOwnNames(listenHost)]);

  function isAllowed(host: string): boolean {
    const name = toHostname(host);
    if (name === "") return false;
    if (isOwnName(name)) return true;
    const url = findPublicUrl();
    return url !== null && toHostname(new URL(url).host) === name;
  }

  function isOwnName(name: string): boolean {
    return fixed.has(name) || listCertifiedNames().includes(name);
  }

  /**
   * Returns whether an origin belongs to the broker. The port must match too, because all brokers on a machine
   * share its loopback names, and a proxy's name may serve many programs.
   */
  function isOwnOrigin(origin: string): boolean {
    const page = toPage(origin);
    if (!page) return false;
    const url = findPublicUrl();
    if (url !== null && new URL(url).origin === origin) return true;
    if (allowedHosts.some((each) => isSameHost(each, page))) return true;
    const own = toPage(getListeningUrl());
    const isOwnPort = own?.secure === page.secure && getPort(own.host, own) === getPort(page.host, page);
    return isOwnPort && isOwnName(toHostname(page.host));
  }

  /**
   * Returns whether a page has an allowed host name and the port of the request. Other ports may serve other
   * people's pages. The ports of the public URL and of allowed hosts are valid too, because a proxy may not
   * forward its own port.
   */
  function isOwnPage(page: PageOrigin, { host = "", forwardedHost = "" }: HostedRequest): boolean {
    if (!isAllowed(page.host)) return false;
    const port = getPort(page.host, page);
    if ([host, forwardedHost].some((requested) => requested !== "" && getPort(requested, page) === port))
      return true;
    const url = findPublicUrl();
    if (url !== null && isSameHost(new URL(url).host, page)) return true;
    const name = toHostname(page.host);
    return allowedHosts.some((each) => toHostname(each) === name && (findPort(each) ?? port) === port);
  }

  return {
    isOwnOrigin,
    check(request) {
      const { host, forwardedHost, origin, target = "/", secure = false } = request;
      const targetHost = findTargetHost(target);
      if (targetHost !== null && !isAllowed(targetHost)) {
        throw refuse("address", target, "Request a path, not another host.");
      }
      if (host === undefined || !isAllowed(host)) {
        throw refuse(
          "Host",
          host,
          "Use a host name that the broker knows, or add this one to MERKLE_ALLOWED_HOSTS or as public_url.",
        );
      }
      if (forwardedHost !== undefined && !isAllowed(forwardedHost)) {
        throw refuse(
          "X-Forwarded-Host",
          forwardedHost,
          "Make the proxy send a host name that the broker knows, or add this one to MERKLE_ALLOWED_HOSTS or as public_url.",
        );
      }
      if (origin === undefined) return refuseForeignFetch(request);
      const page = toPage(origin);
      if (!page || !isOwnPage(page, request) || (secure && mayBeForged(page))) {
        throw refuse(
          "Origin",
          origin,
          "Only pages that the broker serves itself can call it from a browser.",
        );
      }
    },
  };
}

/**
 * Refuses a request for a resource if a page from another site or port sent the request. Requests for an
 * image, script or frame have no `Origin`, but the status, size or timing of the reply could reveal which
 * sessions and keys exist. Links to the broker's own pages are allowed, because these pages look the same to
 * everyone.
 */
function refuseForeignFetch({ fetched, target = "/" }: HostedRequest): void {
  if (!fetched || fetched.site === "same-origin" || fetched.site === "none") return;
  const { site, mode, dest, method } = fetched;
  const isNavigation = mode === "navigate" && dest === "document" && (method === "GET" || method === "HEAD");
  if (isNavigation && isPage(target)) return;
  throw refuse(
    "Sec-Fetch-Site",
    site,
    "Pages on other sites can link to the broker's pages but cannot load anything else from it.",
  );
}

/**
 * Returns whether a target is a page rather than the endpoint of a transport. Paths with an unusual spelling
 * do not count as pages.
 */
function isPage(target: string): boolean {
  const [path = ""] = target.split(/[?#]/, 1);
  return /^(?:\/[a-z0-9._~-]*)*$/i.test(path) && !/^\/+(?:api|mcp|ws|metrics|health)(?:\/|$)/i.test(path);
}

function listOwnNames(listenHost: string): string[] {
  if (listenHost !== "0.0.0.0" && listenHost !== "::") return [toHostname(listenHost)];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [
    hostname().toLowerCase(),
    ...addresses.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
  ];
}

/** Returns a host name in lower case without its port, or "" if the string is not a host. */
function toHostname(host: string): string {
  const text = host.includes(":") && !host.startsWith("[") && host.split(":").length > 2 ? `[${host}]` : host;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])\.?(?::\d{1,5})?$/i.exec(text);
  return match?.[1]?.toLowerCase() ?? "";
}

/** Returns the host if a target is an absolute URL. Returns null if it is a path. */
function findTargetHost(target: string): string | null {
  if (target.startsWith("/") || target === "*") return null;
  return /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/i.exec(target)?.[1] ?? "";
}

/** The page that sent a request, from its Origin header. */
interface PageOrigin {
  readonly secure: boolean;
  readonly host: string;
}

/**
 * Parses an Origin header. Returns null if no web page could have sent it. The header is compared verbatim,
 * because browsers write each origin in only one way.
 */
function toPage(origin: string): PageOrigin | null {
  const [, scheme, host] = /^(https?):\/\/([^/?#@]+)$/i.exec(origin) ?? [];
  return scheme === undefined || host === undefined
    ? null
    : { secure: scheme.toLowerCase() === "https", host };
}

/** Returns the port of a host (default: the port of the page's protocol). */
function getPort(host: string, { secure }: PageOrigin): number {
  return findPort(host) ?? (secure ? 443 : 80);
}

function findPort(host: string): number | null {
  const port = /^(?:\[.*\]|[^:]*):(\d{1,5})$/.exec(host)?.[1];
  return port === undefined ? null : Number(port);
}

function isSameHost(host: string, page: PageOrigin): boolean {
  return toHostname(host) === toHostname(page.host) && getPort(host, page) === getPort(page.host, page);
}

/**
 * Returns whether a page could have been modified in transit: it was loaded unencrypted, and not over loopback.
 */
function mayBeForged({ secure, host }: PageOrigin): boolean {
  return !secure && !loopbackNames.includes(toHostname(host));
}

function refuse(header: string, value: string | undefined, advice: string): MerkleError {
  const received =
    value === undefined ? `no ${header} header` : `${header} ${JSON.stringify(value.slice(0, 100))}`;
  return new MerkleError("forbidden", `This broker does not accept requests with ${received}. ${advice}`);
}
