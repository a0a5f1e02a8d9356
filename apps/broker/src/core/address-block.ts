import { isIPv6 } from "node:net";

/** Whoever is on this machine may come from any of them. */
const loopback = "127.0.0.0/8";

/**
 * Returns the addresses that count as one caller: an IPv4 address, all of this machine's own together, and of IPv6 the block
 * of 2^64 addresses that any customer of a network is given, who could take another one for each request (GUARD-5).
 */
export function toAddressBlock(address: string): string {
  if (address.startsWith("127.") || address === "::1") return loopback;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const before = toGroups(head);
  const after = toGroups(tail ?? "");
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The groups of 16 bits that are written out; an IPv4 address at the end stands for two. */
function toGroups(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
