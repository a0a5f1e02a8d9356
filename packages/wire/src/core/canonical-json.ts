import canonicalize from "canonicalize";

/**
 * Returns the canonical JSON of a value (RFC 8785). The content of messages is hashed, stored and sent in
 * this form.
 *
 * @throws for values that JSON cannot represent: NaN, lone surrogates, cycles or undefined
 */
export function toCanonicalJson(value: unknown): string {
  const text = isTextOnly(value) ? `{"text":${quote(value.text)}}` : canonicalize(value);
  if (text === undefined) throw new TypeError("undefined and functions cannot be written as JSON.");
  return text;
}

/** Quotes a string. If no character needs escaping, the string is not copied. */
function quote(text: string): string {
  return escapePattern.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8785 escapes those, quotes and backslashes, and nothing else.
const escapePattern = /["\\\u0000-\u001f]/;

/**
 * Returns true for an object whose only field is the string `text`, like the content of nearly all messages.
 * JSON.stringify writes strings as RFC 8785 requires (section 3.2.2.2), so it can be used.
 */
function isTextOnly(value: unknown): value is { readonly text: string } {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  for (const name in value) if (name !== "text") return false;
  const { text }: { text?: unknown } = value;
  return typeof text === "string" && !loneSurrogate.test(text);
}

const loneSurrogate = /\p{Surrogate}/u;
