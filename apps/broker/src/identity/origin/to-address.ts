import { isIP } from "node:net";

/** Returns the plain IP address of a text, without port, zone or IPv4-mapped prefix. Null if the text is not an address. */
export function toAddress(text: string): string | null {
  if (isIP(text) === 4) return text;
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ""] = bare.split("%");
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(plain) === 0 ? null : plain;
}
