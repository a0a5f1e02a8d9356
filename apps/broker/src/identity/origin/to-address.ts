import { isIP } from "node:net";

/**
 * Returns the plain IP address in a string, without port, zone or IPv4-mapped prefix. Returns null if the
 * string is not an address.
 */
export function toAddress(text: string): string | null {
  if (isIP(text) === 4) return text;
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ""] = bare.split("%");
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(plain) === 0 ? null : plain;
}
