/** Text for a terminal, whose prompt is to stand on a line of its own. */
export function endingWithLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
