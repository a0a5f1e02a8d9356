import { lookup as lookUpHost } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** An address that a stranger has named leads into this machine or its own networks. */
export class InnerAddressError extends Error {
  override readonly name = "InnerAddressError";

  constructor() {
    super(
      "It leads into this broker's own machine or network, where nothing is sent unless an admin allows it.",
    );
  }
}

/** Address ranges that are not of the public Internet, and forms of IPv6 that carry an IPv4 address to wherever it leads. */
const inner4 = new BlockList();
// A list of its own: a range of mapped addresses would hold every address of IPv4, too.
const inner6 = new BlockList();
const ranges4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;
const ranges6 = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const;
for (const [network, bits] of ranges4) inner4.addSubnet(network, bits, "ipv4");
for (const [network, bits] of ranges6) inner6.addSubnet(network, bits, "ipv6");

/** Whether an IP address is of this machine or of networks that not everybody can reach. */
export function isInnerAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  return isIP(bare) === 6 ? inner6.check(bare, "ipv6") : inner4.check(bare, "ipv4");
}

/**
 * Refuses the host of a URL that is written as an inner address, which no lookup would be asked about.
 *
 * @throws InnerAddressError
 */
export function refuseInnerHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && isInnerAddress(host)) throw new InnerAddressError();
}

/** Finds the addresses of a host as usual, and gives the very addresses that it has checked, or InnerAddressError. */
export const lookUpOutside: LookupFunction = (hostname, options, callback) => {
  lookUpHost(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
    if (addresses.some(({ address }) => isInnerAddress(address)))
      return callback(new InnerAddressError(), "");
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
