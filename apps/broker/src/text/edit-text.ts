import { findOccurrences } from "@merkle/wire/document";
import { findLineEnd, toPlainLines, withLineEnd } from "@merkle/wire/text";

/**
 * Replaces `oldText`, which must not be empty, if it occurs exactly once. Otherwise returns the number of
 * occurrences (DOC-6). All kinds of line breaks compare as equal, because models cannot tell them apart, and
 * `newText` gets the line breaks of the content (DOC-12). Overlapping occurrences are counted separately,
 * because it is unclear which of them was intended.
 */
export function editText(
  content: string,
  oldText: string,
  newText: string,
): { content: string } | { matches: number } {
  const { text, toOriginal } = toPlainLines(content);
  const target = withLineEnd(oldText, "\n");
  let matches = 0;
  let position = 0;
  for (const at of findOccurrences(text, target)) {
    matches++;
    position = at;
  }
  if (matches !== 1) return { matches };
  const [start, end] = [toOriginal(position), toOriginal(position + target.length)];
  const lineEnd = findLineEnd(content.slice(start, end)) ?? findLineEnd(content);
  const replacement = lineEnd === undefined ? newText : withLineEnd(newText, lineEnd);
  return { content: content.slice(0, start) + replacement + content.slice(end) };
}

/** Appends `text` on a new line (DOC-5). */
export function appendText(content: string, text: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return content + separator + text;
}
