import { neutralJson } from "@merkle/wire/plain";

/**
 * How long a page is, as it is printed: what a command says beyond 30,000 characters, Claude Code does not show to the model.
 */
export const pageCharsMax = 24_000;

/** The first entries that fit on a page together; one at least. */
export function firstPage<Entry>(entries: readonly Entry[]): Entry[] {
  let chars = 0;
  const page: Entry[] = [];
  for (const entry of entries) {
    chars += neutralJson(entry).length + 4;
    if (page.length > 0 && chars > pageCharsMax) break;
    page.push(entry);
  }
  return page;
}

/** A part of a text that fits on a page, from `offset` on, and where the next one begins; null at the end. */
export interface TextPage {
  readonly content: string;
  readonly next: number | null;
}

/** Ends behind a line where there is one, and never within a character. Offsets count UTF-16 units. */
export function pageOfText(text: string, offset: number, charsMax = pageCharsMax): TextPage {
  let length = Math.min(charsMax, text.length - offset);
  // Escapes make it longer than it is.
  while (length > 1 && neutralJson(text.slice(offset, offset + length)).length > charsMax + 2) {
    length = Math.floor(length * 0.8);
  }
  const end = offset + Math.max(0, length);
  if (end >= text.length) return { content: text.slice(offset), next: null };
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  const cut = lineEnd > offset ? lineEnd : withinCharacter(text, end) ? end - 1 : end;
  return { content: text.slice(offset, cut), next: cut };
}

function withinCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && at > 1;
}
