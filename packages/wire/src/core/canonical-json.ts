import canonicalize from "canonicalize";

/**
 * The one JSON text of a value (RFC 8785): the text of a message's content that is hashed, stored and sent.
 *
 * @throws for what JSON cannot hold: NaN, lone surrogates, cycles, or nothing at all
 */
export function canonicalJson(value: unknown): string {
  const text = isTextAlone(value) ? `{"text":${JSON.stringify(value.text)}}` : canonicalize(value);
  if (text === undefined) throw new TypeError("There is no JSON text for undefined or a function.");
  return text;
}

/** Whether it is what nearly all messages say. RFC 8785 writes a string as JSON.stringify does (section 3.2.2.2). */
function isTextAlone(value: unknown): value is { readonly text: string } {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  for (const name in value) if (name !== "text") return false;
  const { text }: { text?: unknown } = value;
  return typeof text === "string" && !loneSurrogate.test(text);
}

const loneSurrogate = /\p{Surrogate}/u;
