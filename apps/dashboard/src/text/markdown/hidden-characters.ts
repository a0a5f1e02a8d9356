/** A part of a text: as it is, or a character that would act on the reader without being seen. */
export interface TextPart {
  readonly text: string;
  /** `U+202E`, of a hidden character. */
  readonly hidden?: string;
}

/**
 * Direction overrides, embeddings and isolates (which reorder what is read), tag characters (which spell unseen words) and
 * controls. The marks and joiners that Arabic, Hebrew, Persian and emoji need are left alone, and so are the tags of a flag.
 */
const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
  /[\u{E0000}-\u{E007F}](?<!\u{1F3F4}[\u{E0020}-\u{E007F}]*.)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu;

/** Takes a text apart so that hidden characters can be shown by their number. Most texts come back whole. */
export function splitHidden(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(hiddenCharacters)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ text: match[0], hidden: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

/** The text with each hidden character written as `[U+202E]`, where there is only room for text. */
export function showHidden(text: string): string {
  return splitHidden(text)
    .map((part) => (part.hidden === undefined ? part.text : `[${part.hidden}]`))
    .join("");
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
