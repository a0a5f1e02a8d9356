/** A mention that the user is typing: the text from the `@` to the caret. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly prefix: string;
}

const prefixCharsMax = 50;

/** Returns the mention that is being typed at the caret, or null. */
export function findMention(text: string, caret: number): Mention | null {
  const before = text.slice(Math.max(0, caret - prefixCharsMax - 2), caret);
  const match = /(?:^|[\s(])@([^\s@]*)$/u.exec(before);
  const prefix = match?.[1];
  if (prefix === undefined || prefix.length > prefixCharsMax) return null;
  return { start: caret - prefix.length - 1, end: caret, prefix };
}

/** Returns the text with the completed mention, and the new caret position. */
export function insertMention(
  text: string,
  { start, end }: Mention,
  label: string,
): { text: string; caret: number } {
  const mentionText = `${label.startsWith("@") ? label : `@${label}`} `;
  const after = text.slice(end).replace(/^ /, "");
  return { text: text.slice(0, start) + mentionText + after, caret: start + mentionText.length };
}
