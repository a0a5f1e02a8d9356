import canonicalize from "canonicalize";

/**
 * The one JSON text of a value (RFC 8785): the text of a message's content that is hashed, stored and sent.
 *
 * @throws for what JSON cannot hold: NaN, lone surrogates, cycles, or nothing at all
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("There is no JSON text for undefined or a function.");
  return text;
}
