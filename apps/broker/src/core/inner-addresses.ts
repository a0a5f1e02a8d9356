import { lookup as lookUpHost } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";

/** Thrown when a URL from a caller leads to this machine or to a private network. */
export class InnerAddressError extends Error {
  override readonly name = "InnerAddressError";

  constructor() {
    super("The address belongs to the broker's own machine or network. An admin must allow sending there.");
  }
}

/**
 * Address ranges outside the public internet, cloud metadata endpoints with public addresses, and IPv6 ranges
 * whose addresses embed an IPv4 address.
 */
const inner4 = new BlockList();
// A separate list for IPv6: an IPv4-mapped range in a shared list would also match every IPv4 address.
const inner6 = new BlockList();
const ranges4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // Azure's host agent, on a public address
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;
const ranges6 = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96], // SIIT, ::ffff:0:a.b.c.d
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const;
for (const [network, bits] of ranges4) inner4.addSubnet(network, bits, "ipv4");
for (const [network, bits] of ranges6) inner6.addSubnet(network, bits, "ipv6");

/** Returns whether an IP address belongs to this machine or to a network that is not public. */
export function isInnerAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  return isIP(bare) === 6 ? inner6.check(bare, "ipv6") : inner4.check(bare, "ipv4");
}

/** Returns whether the broker must refuse to connect to an IP address. */
export type RefusesAddress = (address: string) => boolean;

/**
 * Works like isInnerAddress, but allows this machine's own addresses. Used for a URL whose port is the
 * broker's own.
 */
export function isForeignInnerAddress(address: string): boolean {
  return isInnerAddress(address) && !isOwnAddress(address);
}

function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => entry.address === address);
}

/**
 * Refuses a URL whose host is written as an IP address of this machine or of a private network. The guarded
 * lookup cannot check such a host, because an IP address needs no lookup.
 *
 * @throws InnerAddressError
 */
export function refuseInnerHost({ hostname }: URL, refuses: RefusesAddress = isInnerAddress): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && refuses(host)) throw new InnerAddressError();
}

/**
 * Returns a lookup that fails with InnerAddressError if any address of the host is refused. The caller connects
 * to exactly the addresses that were checked, so a second DNS lookup cannot lead it elsewhere.
 */
export function createGuardedLookup(refuses: RefusesAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookUpHost(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => refuses(address))) return callback(new InnerAddressError(), "");
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

export const lookUpOutside = createGuardedLookup(isInnerAddress);
