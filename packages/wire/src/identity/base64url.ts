/** Bytes in base64url without padding (RFC 4648, section 5), as keys and signatures are written. */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/**
 * Reads base64url, or returns null where the text is not the one way to write exactly `length` bytes: another length,
 * other characters, padding, or spare bits that are not 0. Two texts of one key would be two keys to whoever compares.
 */
export function fromBase64url(text: string, length: number): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length !== Math.ceil((length * 4) / 3)) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) =>
    char.charCodeAt(0),
  );
  return toBase64url(bytes) === text ? bytes : null;
}
