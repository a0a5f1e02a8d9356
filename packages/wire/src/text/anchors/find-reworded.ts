import type { Change } from "./align-texts.js";
import { type Texts, visibleLines } from "./compare-texts.js";
import { cutsWord } from "./cuts-word.js";
import { isElsewhere, keptUnits } from "./find-moved.js";
import { alikeMin, isLikeFirst, tellingCharsMin } from "./likeness.js";
import type { Anchored, Reanchored, Span } from "./locate-quote.js";
import { type Likeness, mostAlike, similarity } from "./similarity.js";

/** So much of a place with what stands around it must be alike; more of a short one, which may stand there by chance; */
const alikeAroundMin = 0.6;
const alikeAroundShortMin = 0.85;
/** and by so much it must be better than any other place. */
const betterBy = 0.15;
/** A change so long is not searched for what is like a place. */
const changeCharsMax = 16_384;

/** The one place, in what changed, that is so like it that it can be no other. */
export function findReworded(texts: Texts, anchor: Anchored): Reanchored | null {
  const { before, after } = texts;
  const words = before.slice(anchor.start, anchor.end);
  if (words.trim().length < 4) return null;
  const quote = { words, isLikelyIn: signsOf(words) };
  const alike = texts.alignments[0].changes.flatMap((change) => likenesses(texts, quote, change));
  const [best, next] = alike.sort((x, y) => y.similarity - x.similarity);
  if (!best || best.similarity < alikeMin) return null;
  if (next && best.similarity - next.similarity < betterBy) return null;
  const alikeAround = words.length < tellingCharsMin ? alikeAroundShortMin : alikeAroundMin;
  if (similarity(around(before, anchor), around(after, best)) < alikeAround) return null;
  if (!isLikeFirst(texts, anchor, best) || cutsWord(before, anchor, after, best)) return null;
  const length = best.end - best.start;
  const isOther = texts.alignments.some((each) => keptUnits(each, best, anchor) > (1 - alikeMin) * length);
  if (isOther || isElsewhere(texts, anchor, best)) return null;
  // Beside a line that reads the same, which of the two is meant was only chosen by how the texts were compared.
  if (!isOfSingleLines(texts, "before", anchor) || !isOfSingleLines(texts, "after", best)) return null;
  const { start, end } = best;
  return { start, end, how: after.slice(start, end) === words ? "moved" : "reworded" };
}

/** Whether each line that a place is in stands once in the text. */
function isOfSingleLines(texts: Texts, side: "before" | "after", place: Span): boolean {
  const text = texts[side];
  return visibleLines(text, place).every(
    ({ start, end }) => texts.findLine(side, text.slice(start, end)) !== undefined,
  );
}

/** The words that are looked for, and whether a text has enough of their characters to hold something like them. */
interface Quote {
  readonly words: string;
  readonly isLikelyIn: (text: string) => boolean;
}

function likenesses(
  { after, work }: Texts,
  { words, isLikelyIn }: Quote,
  { after: within }: Change,
): Likeness[] {
  if (within.end === within.start) return [];
  // A place may reach a little over what changed.
  const start = Math.max(0, within.start - words.length);
  const text = after.slice(start, within.end + words.length);
  if (text.length < words.length / 2) return [];
  work.left -= 16 * Math.min(text.length, changeCharsMax);
  if (text.length <= changeCharsMax && work.left > 0 && !isLikelyIn(text)) return [];
  work.left -= words.length * Math.min(text.length, changeCharsMax);
  // A text that cannot be searched within the bounds may hold something that is just as alike.
  if (text.length > changeCharsMax || work.left < 0)
    return [0, 1].map(() => ({ start: 0, end: 0, similarity: 1 }));
  return mostAlike(words, text).map((each) => ({
    start: each.start + start,
    end: each.end + start,
    similarity: each.similarity,
  }));
}

function around(text: string, { start, end }: Span): string {
  return text.slice(Math.max(0, start - 64), end + 64);
}

/** So many of the triples of signs of a quote stand in whatever is like it. */
const sharedMin = 0.3;
/** Triples are told apart by so many marks; those with the same mark are looked at. */
const marks = 1 << 14;

/** Takes a quote apart into triples of signs, and tells of texts whether enough of those stand in them that they could be like it. */
function signsOf(quote: string): (text: string) => boolean {
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
