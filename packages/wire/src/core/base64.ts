/** Encodes bytes as base64 with padding (RFC 4648, section 4), which is the format of signed notes. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Decodes base64. Returns null unless the text is the canonical form of its bytes, with padding and with
 * unused bits zero. Otherwise two different notes could contain the same signature.
 */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : null;
}
