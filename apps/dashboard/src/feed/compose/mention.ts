/** A mention that is being typed: from the `@` to the caret. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly typed: string;
}

const typedCharsMax = 50;

/** The mention at the caret, if one is being typed. */
export function findMention(text: string, caret: number): Mention | null {
  const before = text.slice(Math.max(0, caret - typedCharsMax - 2), caret);
  const match = /(?:^|[\s(])@([^\s@]*)$/u.exec(before);
  const typed = match?.[1];
  if (typed === undefined || typed.length > typedCharsMax) return null;
  return { start: caret - typed.length - 1, end: caret, typed };
}

/** The text with the complete mention, and the new place of the caret. */
export function writeMention(
  text: string,
  { start, end }: Mention,
  label: string,
): { text: string; caret: number } {
  const written = `${label.startsWith("@") ? label : `@${label}`} `;
  const after = text.slice(end).replace(/^ /, "");
  return { text: text.slice(0, start) + written + after, caret: start + written.length };
}
