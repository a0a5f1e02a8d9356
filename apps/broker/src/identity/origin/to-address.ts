import { isIP } from "node:net";

/** The plain address of a text that may add a port or a zone, or write an IPv4 address in its IPv6 form; null for anything else. */
export function toAddress(text: string): string | null {
  if (isIP(text) === 4) return text;
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ""] = bare.split("%");
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(plain) === 0 ? null : plain;
}
