/** A mention that the user is typing: the text from the `@` to the caret. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly typed: string;
}

const typedCharsMax = 50;

/** Returns the mention that is being typed at the caret, or null. */
export function findMention(text: string, caret: number): Mention | null {
  const before = text.slice(Math.max(0, caret - typedCharsMax - 2), caret);
  const match = /(?:^|[\s(])@([^\s@]*)$/u.exec(before);
  const typed = match?.[1];
  if (typed === undefined || typed.length > typedCharsMax) return null;
  return { start: caret - typed.length - 1, end: caret, typed };
}

/** Returns the text with the completed mention, and the new caret position. */
export function writeMention(
  text: string,
  { start, end }: Mention,
  label: string,
): { text: string; caret: number } {
  const written = `${label.startsWith("@") ? label : `@${label}`} `;
  const after = text.slice(end).replace(/^ /, "");
  return { text: text.slice(0, start) + written + after, caret: start + written.length };
}
