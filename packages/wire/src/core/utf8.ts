const utf8 = new TextEncoder();

/** How many bytes the text takes. */
export function utf8Bytes(text: string): number {
  return utf8.encode(text).length;
}

/** PostgreSQL stores neither NUL nor lone surrogates, and JSON readers disagree about both (FEED-12). */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && !/\p{Surrogate}/u.test(text);
}
