/**
 * Returns the part of the marked text that contains the most matches, or the whole text if it is short enough.
 * A «mark» is never cut.
 */
export function extractBestPart(marked: string, charsMax: number): string {
  if (marked.length <= charsMax) return marked;
  const start = moveToWordBoundary(marked, findBestStart(marked, charsMax - charsBefore) - charsBefore);
  const end = moveToWordBoundary(marked, start + charsMax);
  const part = closeMarks(marked.slice(start, end).trim());
  return `${start > 0 ? "…" : ""}${part}${end < marked.length ? "…" : ""}`;
}

/** Number of characters shown before the part's first mark, for context. */
const charsBefore = 60;

/** Maximum number of marks that are considered when choosing the part. */
const marksMax = 500;

/** Returns the position of the first mark in the best part, which contains the most marks. */
function findBestStart(marked: string, chars: number): number {
  const marks = findMarks(marked);
  let best = { start: 0, marks: 0 };
  let next = 0;
  for (const [first, start] of marks.entries()) {
    while (next < marks.length && (marks[next] ?? 0) < start + chars) next += 1;
    if (next - first > best.marks) best = { start, marks: next - first };
  }
  return best.start;
}

function findMarks(marked: string): number[] {
  const positions: number[] = [];
  let position = marked.indexOf("«");
  while (position !== -1 && positions.length < marksMax) {
    positions.push(position);
    position = marked.indexOf("«", position + 1);
  }
  return positions;
}

/**
 * Returns the end of the word before a position. If there are no spaces, returns the position itself, or the
 * next position if the first would split a surrogate pair.
 */
function moveToWordBoundary(text: string, position: number): number {
  if (position <= 0) return 0;
  if (position >= text.length) return text.length;
  const space = text.lastIndexOf(" ", position);
  if (space > position - charsBefore) return space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(position)) ? position + 1 : position;
}

/** Restores marks that were cut off at either end of a part, because a match may be longer than the part. */
function closeMarks(cut: string): string {
  const part = cut.endsWith("«") ? cut.slice(0, -1) : cut;
  const opens = part.indexOf("«");
  const closes = part.indexOf("»");
  const isOpenAtStart = closes !== -1 && (opens === -1 || closes < opens);
  const isOpenAtEnd = part.lastIndexOf("«") > part.lastIndexOf("»");
  return `${isOpenAtStart ? "«" : ""}${part}${isOpenAtEnd ? "»" : ""}`;
}
