/** Whether a text has so many signs besides white space; a long one is not looked through to its end for that. */
export function hasSigns(text: string, count: number): boolean {
  let seen = 0;
  for (let at = 0; at < text.length && seen < count; at++) if (/\S/.test(text[at] ?? "")) seen++;
  return seen >= count;
}
