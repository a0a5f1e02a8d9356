/** Formats a value on one line and cuts it off if it is long. */
export function previewJson(value: unknown, charsMax = 120): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > charsMax ? `${truncateAt(text, charsMax)}…` : text;
}

/** Formats a value for reading and editing, with lists and objects on several lines. */
export function formatJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

export type ParsedInput =
  | { readonly value: unknown; readonly as: "JSON" | "text"; readonly problem: null }
  | { readonly problem: string };

/**
 * Parses typed text as JSON. Text that is not JSON becomes a string. If it starts like JSON but is invalid, it is refused,
 * because that is probably a mistake.
 */
export function parseInput(input: string): ParsedInput {
  const text = input.trim();
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

function truncateAt(text: string, chars: number): string {
  // Keeps surrogate pairs together.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars);
}
