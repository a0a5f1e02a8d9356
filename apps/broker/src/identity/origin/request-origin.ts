import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import type { HostedRequest } from "./hosts.js";
import { isProxied } from "./proxied.js";
import { toAddress } from "./to-address.js";

/** Where a request comes from, with or without trusted proxies in between (TLS-9). */
export interface RequestOrigin extends HostedRequest {
  /** The client's address. Empty if its connection is already closed. */
  readonly address: string;
}

/** Reads the source address, protocol and target host of every request. */
export interface OriginReader {
  read(
    request: Pick<IncomingMessage, "headersDistinct" | "socket" | "url"> &
      Partial<Pick<IncomingMessage, "method">>,
  ): RequestOrigin;
  /**
   * Returns whether a connection comes directly from the client: its address is not that of a trusted proxy,
   * and the request has no proxy headers.
   */
  isDirect(request: Pick<IncomingMessage, "headersDistinct" | "socket">): boolean;
  /**
   * Returns the address of a connection before any data arrives. Null for a trusted proxy, which forwards the
   * requests of many clients.
   */
  findAddress(socket: Pick<Socket, "remoteAddress">): string | null;
}

/**
 * @param trustedProxies - addresses, and ranges such as `10.0.0.0/8`. `X-Forwarded-For`, `-Proto` and `-Host`
 * are read only from these proxies; `Forwarded` (RFC 7239) is never read
 * @throws RangeError for a string that is neither an address nor a range
 */
export function createOriginReader(trustedProxies: readonly string[]): OriginReader {
  const trusted = new BlockList();
  for (const each of trustedProxies) addRange(trusted, each);

  const isTrusted = (address: string) =>
    trustedProxies.length > 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  const read: OriginReader["read"] = ({ headersDistinct: headers, socket, url, method }) => {
    const peer = toAddress(socket.remoteAddress ?? "");
    const isEncrypted = "encrypted" in socket && socket.encrypted === true;
    const site = headers["sec-fetch-site"]?.join();
    const fetched = site === undefined ? undefined : readFetched(site, headers, method);
    // If a header is repeated, its values are joined so that all of them are checked.
    const own = { host: headers["host"]?.join(), origin: headers["origin"]?.join(), target: url, fetched };
    if (peer === null || !isTrusted(peer)) return { ...own, address: peer ?? "", secure: isEncrypted };
    const proto = findLast(headers["x-forwarded-proto"]);
    return {
      ...own,
      address: findClient(peer, headers["x-forwarded-for"], isTrusted),
      // Anything other than `http` is treated as https, which is stricter.
      secure: proto === undefined ? isEncrypted : proto.toLowerCase() !== "http",
      forwardedHost: findLast(headers["x-forwarded-host"]),
    };
  };

  return {
    read,
    isDirect({ headersDistinct, socket: { remoteAddress = "" } }) {
      const address = toAddress(remoteAddress);
      return address !== null && !isTrusted(address) && !isProxied(headersDistinct);
    },
    findAddress({ remoteAddress = "" }) {
      const address = toAddress(remoteAddress);
      return address !== null && isTrusted(address) ? null : (address ?? "");
    },
  };
}

function readFetched(
  site: string,
  headers: IncomingMessage["headersDistinct"],
  method: string | undefined,
): NonNullable<RequestOrigin["fetched"]> {
  const [mode, dest] = [headers["sec-fetch-mode"]?.join(), headers["sec-fetch-dest"]?.join()];
  return { method, site, mode, dest };
}

/**
 * Returns the client's address: the first address from the right that is not a trusted proxy. Each proxy adds
 * the address that it sees on the right. The search stops at a value that is not an address, because anyone may
 * have written the values to its left.
 */
function findClient(
  peer: string,
  forwarded: readonly string[] | undefined,
  isTrusted: (address: string) => boolean,
): string {
  let client = peer;
  for (const text of (forwarded?.join() ?? "").split(",").reverse()) {
    const address = toAddress(text.trim());
    if (address === null) return client;
    client = address;
    if (!isTrusted(client)) return client;
  }
  return client;
}

/** Returns the last value, which the nearest proxy added. */
function findLast(values: readonly string[] | undefined): string | undefined {
  return values?.join().split(",").at(-1)?.trim();
}

function addRange(list: BlockList, text: string): void {
  const range = parseRange(text);
  if (!range) throw new RangeError(`${JSON.stringify(text)} is neither an address nor a range.`);
  list.addSubnet(range.address, range.bits, range.family);
}

function parseRange(text: string): { address: string; bits: number; family: "ipv4" | "ipv6" } | null {
  const [address = "", length, ...more] = text.split("/");
  const version = isIP(address);
  const bitsMax = version === 6 ? 128 : 32;
  const bits = length === undefined ? bitsMax : Number(length);
  if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(length ?? "0") || bits > bitsMax) return null;
  if (address.includes("%")) return null;
  return { address, bits, family: version === 6 ? "ipv6" : "ipv4" };
}
