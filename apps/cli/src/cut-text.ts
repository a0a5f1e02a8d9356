/** A text of at most so many characters; where more is left out, it says how long it is. */
export function cutText(text: string, charsMax: number): string {
  const chars = [...text];
  if (chars.length <= charsMax) return text;
  return `${chars.slice(0, charsMax).join("")}… (${chars.length.toLocaleString("en")} characters)`;
}
