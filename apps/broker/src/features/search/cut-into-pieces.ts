/**
 * Maximum length of a piece: at most 60 KB and 10,000 words, well below what PostgreSQL can index as one
 * value.
 */
const pieceCharsMax = 20_000;

/**
 * Splits a document into pieces that are indexed separately, at a heading, paragraph, line or space. A word
 * is split only if the second half of a full piece contains none of these breaks.
 */
export function cutIntoPieces(content: string, charsMax = pieceCharsMax): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (content.length - start > charsMax) {
    const end = start + findPieceEnd(content.slice(start, start + charsMax));
    pieces.push(content.slice(start, end));
    start = end;
  }
  if (content.slice(start).trim() !== "") pieces.push(content.slice(start));
  return pieces;
}

/** Returns the best break in the second half of a full piece. */
function findPieceEnd(full: string): number {
  for (const mark of ["\n#", "\n\n", "\n", " "]) {
    const position = full.lastIndexOf(mark);
    if (position >= full.length / 2) return position + 1;
  }
  return /[\uD800-\uDBFF]$/.test(full) ? full.length - 1 : full.length;
}
