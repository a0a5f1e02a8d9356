/** So many of the triples of signs of a quote stand in whatever is like it. */
const sharedMin = 0.3;
/** Triples are told apart by so many marks; those with the same mark are looked at. */
const marks = 1 << 14;

/** Takes a quote apart into triples of signs, and tells of texts whether enough of those stand in them that they could be like it. */
export function signsOf(quote: string): (text: string) => boolean {
  const times = new Map<string, number>();
  const isMarked = new Uint8Array(marks);
  for (let at = 0; at + 3 <= quote.length; at++) {
    const triple = quote.slice(at, at + 3);
    times.set(triple, (times.get(triple) ?? 0) + 1);
    isMarked[markAt(quote, at)] = 1;
  }
  const least = sharedMin * (quote.length - 2);
  return (text) => {
    let shared = 0;
    const found = new Set<string>();
    for (let at = 0; at + 3 <= text.length && shared < least; at++) {
      if (isMarked[markAt(text, at)] === 0) continue;
      const triple = text.slice(at, at + 3);
      if (found.has(triple)) continue;
      found.add(triple);
      shared += times.get(triple) ?? 0;
    }
    return shared >= least;
  };
}

function markAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % marks;
}
