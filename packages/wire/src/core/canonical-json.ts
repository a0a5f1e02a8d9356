import canonicalize from "canonicalize";

/**
 * The one JSON text of a value (RFC 8785): the text of a message's content that is hashed, stored and sent.
 *
 * @throws for what JSON cannot hold: NaN, lone surrogates, cycles, or nothing at all
 */
export function canonicalJson(value: unknown): string {
  const text = isTextAlone(value) ? `{"text":${quote(value.text)}}` : canonicalize(value);
  if (text === undefined) throw new TypeError("undefined and functions cannot be written as JSON.");
  return text;
}

/** A text without anything to escape need not be copied for it. */
function quote(text: string): string {
  return toBeEscaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8785 escapes those, quotes and backslashes, and nothing else.
const toBeEscaped = /["\\\u0000-\u001f]/;

/** Whether it is what nearly all messages say. RFC 8785 writes a string as JSON.stringify does (section 3.2.2.2). */
function isTextAlone(value: unknown): value is { readonly text: string } {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  for (const name in value) if (name !== "text") return false;
  const { text }: { text?: unknown } = value;
  return typeof text === "string" && !loneSurrogate.test(text);
}

const loneSurrogate = /\p{Surrogate}/u;
