/** A piece of text: plain text, or a hidden character that could mislead the reader. */
export interface TextPart {
  readonly text: string;
  /** Code point of a hidden character, such as `U+202E`. */
  readonly hidden?: string;
}

/**
 * Matches direction overrides, embeddings and isolates (which reorder text), tag characters (which spell invisible words) and
 * control characters. Marks and joiners that Arabic, Hebrew, Persian and emoji need are not matched, nor are the tags of flag
 * emoji.
 */
const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
  /[\u{E0000}-\u{E007F}](?<!\u{1F3F4}[\u{E0020}-\u{E007F}]*.)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu;

/**
 * Splits text at hidden characters, so that each can be shown as its code point. Text without hidden characters stays
 * in one part.
 */
export function splitHidden(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(hiddenCharacters)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ text: match[0], hidden: findCharacterName(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

/** Returns the text with each hidden character written as `[U+202E]`, for places that show only text. */
export function showHidden(text: string): string {
  return splitHidden(text)
    .map((part) => (part.hidden === undefined ? part.text : `[${part.hidden}]`))
    .join("");
}

function findCharacterName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
