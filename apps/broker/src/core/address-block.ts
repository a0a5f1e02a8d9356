import { isIPv6 } from "node:net";

/** All loopback addresses. A client on this machine can connect from any of them. */
const loopback = "127.0.0.0/8";

/**
 * Returns the address block that counts as one caller (GUARD-5): an IPv4 address, all loopback addresses
 * together, or an IPv6 /64. An internet provider gives each customer a whole /64, so a caller could use a
 * different address in it for each request.
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

/**
 * Returns the 16-bit groups written out in part of an IPv6 address. An IPv4 address at the end counts as two
 * groups.
 */
function toGroups(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
