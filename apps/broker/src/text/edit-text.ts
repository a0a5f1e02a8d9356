import { lineEndOf, occurrences, plainLines, withLineEnd } from "@merkle/wire/text";

/**
 * Puts `newText` in the one place where `oldText`, which is not empty, stands; otherwise says in how many it does (DOC-6). Line ends
 * are compared as one, since a model sees no difference between them, and `newText` gets those of the content (DOC-12).
 * Overlapping places count each, since nothing says which of them was meant.
 */
export function editText(
  content: string,
  oldText: string,
  newText: string,
): { content: string } | { matches: number } {
  const { text, toOriginal } = plainLines(content);
  const wanted = withLineEnd(oldText, "\n");
  let matches = 0;
  let place = 0;
  for (const at of occurrences(text, wanted)) {
    matches++;
    place = at;
  }
  if (matches !== 1) return { matches };
  const [start, end] = [toOriginal(place), toOriginal(place + wanted.length)];
  const lineEnd = lineEndOf(content.slice(start, end)) ?? lineEndOf(content);
  const written = lineEnd === undefined ? newText : withLineEnd(newText, lineEnd);
  return { content: content.slice(0, start) + written + content.slice(end) };
}

/** Puts `text` at the end, on a line of its own (DOC-5). */
export function appendText(content: string, text: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return content + separator + text;
}
