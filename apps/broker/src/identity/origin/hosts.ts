import { hostname, networkInterfaces } from "node:os";
import { MerkleError } from "@merkle/wire";

/** Which names the broker answers to (AUTH-8, AUTH-9, TLS-7). */
export interface HostGuard {
  /**
   * Refuses a request that was meant for another host, or that a page of another origin makes. Without this, any web page
   * that a person opens could reach a broker on loopback, by DNS rebinding or directly.
   *
   * @throws forbidden
   */
  check(request: HostedRequest): void;
  /**
   * Whether a client that dialled this scheme, host and port reached this very broker (HELLO-5): one of its names at the
   * port that it listens on, or exactly its public URL or a further name, as a proxy or a container's port has it.
   */
  isOwnOrigin(origin: string): boolean;
}

/** The parts of a request that say whom it is meant for and where it comes from. */
export interface HostedRequest {
  readonly host?: string | undefined;
  /** The host that a trusted proxy was asked for. Both must be the broker's, so that a proxy never allows more. */
  readonly forwardedHost?: string | undefined;
  readonly origin?: string | undefined;
  /** Which page asked and for what, as browsers say it of their own accord (Fetch Metadata): no page can set or leave it out. */
  readonly fetched?: Fetched | undefined;
  /** Whether it came over TLS. */
  readonly secure?: boolean | undefined;
  /** The request line's target. As a full address it goes before the Host header (RFC 9112, section 3.2.2). */
  readonly target?: string | undefined;
}

/** The request's method, and its `Sec-Fetch-Site`, `-Mode` and `-Dest`. */
export interface Fetched {
  readonly method: string | undefined;
  readonly site: string;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

export interface HostGuardOptions {
  /** The address that the broker listens on; a wildcard stands for every address of the machine. */
  readonly listenHost: string;
  /** Further names, such as that of a reverse proxy. Of one with a port, only pages of that port may call. */
  readonly allowedHosts: readonly string[];
  /** Where the broker listens, `http://127.0.0.1:7423`; empty before it does. */
  readonly listening: () => string;
  /** The public URL as it is set at this moment. */
  readonly publicUrl: () => string | null;
  /** The names that the broker's certificate was issued for, as it is at this moment. */
  readonly certifiedNames?: (() => readonly string[]) | undefined;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

export function createHostGuard({
  listenHost,
  allowedHosts,
  listening,
  publicUrl,
  certifiedNames = () => [],
}: HostGuardOptions): HostGuard {
  const fixed = new Set([...loopbackNames, ...allowedHosts.map(hostnameOf), ...ownNames(listenHost)]);

  function isAllowed(host: string): boolean {
    const name = hostnameOf(host);
    if (name === "") return false;
    if (isOwnName(name)) return true;
    const url = publicUrl();
    return url !== null && hostnameOf(new URL(url).host) === name;
  }

  function isOwnName(name: string): boolean {
    return fixed.has(name) || certifiedNames().includes(name);
  }

  /** Every broker of a machine has its loopback names, and a proxy's name leads to many: the port tells which is meant. */
  function isOwnOrigin(origin: string): boolean {
    const page = toPage(origin);
    if (!page) return false;
    const url = publicUrl();
    if (url !== null && new URL(url).origin === origin) return true;
    if (allowedHosts.some((each) => isAt(each, page))) return true;
    const own = toPage(listening());
    const isOwnPort = own?.secure === page.secure && portOf(own.host, own) === portOf(page.host, page);
    return isOwnPort && isOwnName(hostnameOf(page.host));
  }

  /**
   * A page has an allowed name and the port that was asked: other ports of a machine serve other people's pages. A proxy may
   * be at a port that it does not pass on, so that of the public URL counts too, and that of a further name.
   */
  function isOwnPage(page: Page, { host = "", forwardedHost = "" }: HostedRequest): boolean {
    if (!isAllowed(page.host)) return false;
    const port = portOf(page.host, page);
    if ([host, forwardedHost].some((asked) => asked !== "" && portOf(asked, page) === port)) return true;
    const url = publicUrl();
    if (url !== null && isAt(new URL(url).host, page)) return true;
    const name = hostnameOf(page.host);
    return allowedHosts.some((each) => hostnameOf(each) === name && (findPort(each) ?? port) === port);
  }

  return {
    isOwnOrigin,
    check(request) {
      const { host, forwardedHost, origin, target = "/", secure = false } = request;
      const meant = hostOfTarget(target);
      if (meant !== null && !isAllowed(meant)) {
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
 * Refuses what a page of another site, or of another port of this one, has a browser load: an image, a script or a frame says
 * by its status, its size or its time which sessions and keys there are, and brings no `Origin`. Such a page may lead a person
 * to a page of ours, which is the same whatever there is.
 */
function refuseForeignFetch({ fetched, target = "/" }: HostedRequest): void {
  if (!fetched || fetched.site === "same-origin" || fetched.site === "none") return;
  const { site, mode, dest, method } = fetched;
  const opens = mode === "navigate" && dest === "document" && (method === "GET" || method === "HEAD");
  if (opens && isPage(target)) return;
  throw refuse(
    "Sec-Fetch-Site",
    site,
    "Pages on other sites can link to the broker's pages but cannot load anything else from it.",
  );
}

/** Whether a target is no transport's, but of the pages; one that is written in a roundabout way is none. */
function isPage(target: string): boolean {
  const [path = ""] = target.split(/[?#]/, 1);
  return /^(?:\/[a-z0-9._~-]*)*$/i.test(path) && !/^\/+(?:api|mcp|ws|metrics|health)(?:\/|$)/i.test(path);
}

function ownNames(listenHost: string): string[] {
  if (listenHost !== "0.0.0.0" && listenHost !== "::") return [hostnameOf(listenHost)];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [
    hostname().toLowerCase(),
    ...addresses.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
  ];
}

/** A host without its port, in lower case; empty for what is no host. */
function hostnameOf(host: string): string {
  const text = host.includes(":") && !host.startsWith("[") && host.split(":").length > 2 ? `[${host}]` : host;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])\.?(?::\d{1,5})?$/i.exec(text);
  return match?.[1]?.toLowerCase() ?? "";
}

/** The host of a target that is a full address; null for a path. */
function hostOfTarget(target: string): string | null {
  if (target.startsWith("/") || target === "*") return null;
  return /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/i.exec(target)?.[1] ?? "";
}

/** Where a page came from, as its Origin says. */
interface Page {
  readonly secure: boolean;
  readonly host: string;
}

/** Null for what no page of the web sends. The text counts as it stands: a browser writes each address in one way alone. */
function toPage(origin: string): Page | null {
  const [, scheme, host] = /^(https?):\/\/([^/?#@]+)$/i.exec(origin) ?? [];
  return scheme === undefined || host === undefined
    ? null
    : { secure: scheme.toLowerCase() === "https", host };
}

/** The port of a host, by default that of the page's protocol. */
function portOf(host: string, { secure }: Page): number {
  return findPort(host) ?? (secure ? 443 : 80);
}

function findPort(host: string): number | null {
  const port = /^(?:\[.*\]|[^:]*):(\d{1,5})$/.exec(host)?.[1];
  return port === undefined ? null : Number(port);
}

function isAt(host: string, page: Page): boolean {
  return hostnameOf(host) === hostnameOf(page.host) && portOf(host, page) === portOf(page.host, page);
}

/** A page that came in clear text from elsewhere may be anybody's on the way, whatever name it has. */
function mayBeForged({ secure, host }: Page): boolean {
  return !secure && !loopbackNames.includes(hostnameOf(host));
}

function refuse(header: string, value: string | undefined, advice: string): MerkleError {
  const came =
    value === undefined ? `no ${header} header` : `${header} ${JSON.stringify(value.slice(0, 100))}`;
  return new MerkleError("forbidden", `This broker does not accept requests with ${came}. ${advice}`);
}
