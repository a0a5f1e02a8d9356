const utf8 = new TextEncoder();

/** Returns the length of a string in UTF-8 bytes. */
export function countUtf8Bytes(text: string): number {
  return utf8.encode(text).length;
}

/**
 * Returns false for strings with NUL or lone surrogates. PostgreSQL cannot store them, and JSON parsers
 * disagree about them (FEED-12).
 */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && !/\p{Surrogate}/u.test(text);
}
