/** Puts `text` at the end, on a line of its own (DOC-5). */
export function appendText(content: string, text: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return content + separator + text;
}
