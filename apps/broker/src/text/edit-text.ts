import { occurrences } from "@merkle/wire/text";

/**
 * Puts `newText` in the one place where `oldText`, which is not empty, stands; otherwise says in how many it does (DOC-6).
 * Overlapping places count each, since nothing says which of them was meant.
 */
export function editText(
  content: string,
  oldText: string,
  newText: string,
): { content: string } | { matches: number } {
  let matches = 0;
  let place = 0;
  for (const at of occurrences(content, oldText)) {
    matches++;
    place = at;
  }
  if (matches !== 1) return { matches };
  return { content: content.slice(0, place) + newText + content.slice(place + oldText.length) };
}

/** Puts `text` at the end, on a line of its own (DOC-5). */
export function appendText(content: string, text: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return content + separator + text;
}
