/** At most 60 KB and 10,000 words, well below what the database can index as one. */
const pieceCharsMax = 20_000;

/**
 * Cuts a document into pieces that are searched each by itself, where a heading, a paragraph or a line begins. Within a
 * word it is cut only where a line is longer than a whole piece and has no spaces.
 */
export function cutIntoPieces(content: string, charsMax = pieceCharsMax): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (content.length - start > charsMax) {
    const end = start + endOfPiece(content.slice(start, start + charsMax));
    pieces.push(content.slice(start, end));
    start = end;
  }
  if (content.slice(start).trim() !== "") pieces.push(content.slice(start));
  return pieces;
}

/** The last good place in the second half of a full piece. */
function endOfPiece(full: string): number {
  for (const mark of ["\n#", "\n\n", "\n", " "]) {
    const place = full.lastIndexOf(mark);
    if (place >= full.length / 2) return place + 1;
  }
  return /[\uD800-\uDBFF]$/.test(full) ? full.length - 1 : full.length;
}
