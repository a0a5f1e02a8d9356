import { lineEndOf, occurrences, plainLines, withLineEnd } from "@merkle/wire/text";

/**
 * Replaces the one occurrence of `oldText`, which must not be empty, or returns the number of occurrences (DOC-6). All kinds
 * of line ends compare as equal, because models cannot tell them apart, and `newText` gets those of the content (DOC-12).
 * Overlapping occurrences all count, because it is unknown which of them was meant.
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

/** Appends `text` on a new line (DOC-5). */
export function appendText(content: string, text: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return content + separator + text;
}
