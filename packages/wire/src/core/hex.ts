const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Converts bytes to lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += digits[byte];
  return text;
}

/**
 * Parses hexadecimal digits as `toHex` writes them. Returns null unless they represent exactly `length`
 * bytes.
 */
export function fromHex(text: string, length: number): Uint8Array | null {
  if (text.length !== length * 2 || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, place) => Number.parseInt(text.slice(place * 2, place * 2 + 2), 16));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, place) => byte === b[place]);
}

/** Parses digits that are already known to be hexadecimal. */
export function parseHex(digits: string): Uint8Array {
  const bytes = fromHex(digits, digits.length / 2);
  if (!bytes) throw new RangeError(`"${digits}" is not hexadecimal.`);
  return bytes;
}
