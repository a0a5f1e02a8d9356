/** A value on one line, cut where it is long. */
export function previewJson(value: unknown, charsMax = 120): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > charsMax ? `${cutAt(text, charsMax)}…` : text;
}

/** A value as people read and edit it: lists and objects over several lines. */
export function formatJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

export type TypedValue =
  | { readonly value: unknown; readonly as: "JSON" | "text"; readonly problem: null }
  | { readonly problem: string };

/**
 * Reads what somebody typed as a value: JSON, or as it stands where it is none. What begins as JSON does and is none is
 * refused, since it is more likely a mistake than a text.
 */
export function parseTyped(typed: string): TypedValue {
  const text = typed.trim();
  if (text === "") return { problem: 'Enter a value. Use "" for an empty text and null for nothing.' };
  try {
    return { value: JSON.parse(text), as: "JSON", problem: null };
  } catch (error) {
    if (/^[[{"]/.test(text)) return { problem: `Invalid JSON: ${describe(error)}` };
    return { value: text, as: "text", problem: null };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.message.slice(0, 160)}.` : "it can't be parsed.";
}

function cutAt(text: string, chars: number): string {
  // A pair of surrogates stays together.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars);
}
