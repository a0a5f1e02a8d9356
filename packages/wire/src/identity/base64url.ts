/**
 * Encodes bytes as base64url without padding (RFC 4648, section 5), which is the format of keys and
 * signatures.
 */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/**
 * Decodes base64url. Returns null unless the text is the canonical form of exactly `length` bytes, without
 * padding and with unused bits zero. Otherwise two different strings could represent the same key.
 */
export function fromBase64url(text: string, length: number): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length !== Math.ceil((length * 4) / 3)) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) =>
    char.charCodeAt(0),
  );
  return toBase64url(bytes) === text ? bytes : null;
}
