import type { Random } from "../faults/random.js";
import {
  concat,
  randomBlock,
  randomSentence,
  randomWord,
  slice,
  splice,
  type TracedText,
  type Tracer,
} from "./traced-text.js";

export type Edit = (text: TracedText, random: Random, tracer: Tracer) => TracedText;

interface Span {
  readonly start: number;
  readonly end: number;
}

function findSpans(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}

const blocks = /(?:[^\n]+\n)+\n*/g;
const linePattern = /[^\n]+\n/g;
const words = /[\p{L}\p{N}]+/gu;

function pickSpan(text: string, pattern: RegExp, random: Random): Span | null {
  const spans = findSpans(text, pattern);
  return spans[random.between(0, spans.length - 1)] ?? null;
}

/** Returns the position after a random block, or 0 for the start of the text. */
function pickGap(text: string, random: Random): number {
  const span = pickSpan(text, blocks, random);
  return span && random.next() < 0.9 ? span.end : 0;
}

const onSpan =
  (
    pattern: RegExp,
    change: (text: TracedText, span: Span, random: Random, tracer: Tracer) => TracedText,
  ): Edit =>
  (text, random, tracer) => {
    const span = pickSpan(text.text, pattern, random);
    return span ? change(text, span, random, tracer) : text;
  };

const remove = (text: TracedText, { start, end }: Span) => concat(slice(text, 0, start), slice(text, end));

const move = (pattern: RegExp) =>
  onSpan(pattern, (text, span, random) => {
    const cut = slice(text, span.start, span.end);
    const rest = remove(text, span);
    const to =
      pattern === linePattern
        ? (pickSpan(rest.text, linePattern, random)?.start ?? 0)
        : pickGap(rest.text, random);
    return splice(rest, to, to, cut);
  });

const replaceWord = onSpan(words, (text, { start, end }, random, tracer) => {
  const word = randomWord(random);
  // Replacing a word with itself is not an edit.
  return word === text.text.slice(start, end) ? text : splice(text, start, end, tracer.write(word));
});

const typo = onSpan(words, (text, { start, end }, random, tracer) => {
  const at = random.between(start, end - 1);
  return random.next() < 0.5
    ? splice(text, at, at + 1, tracer.write(""))
    : splice(text, at, at, tracer.write(random.pick(["x", "q", "e", "n"])));
});

const duplicate = (withChange: boolean) =>
  onSpan(blocks, (text, { start, end }, random, tracer) => {
    const copied = tracer.copy(slice(text, start, end));
    const twin = withChange ? replaceWord(copied, random, tracer) : copied;
    const to = random.pick([start, end, pickGap(text.text, random)]);
    return splice(text, to, to, twin);
  });

/** Typical edits that people and agents make to documents, keyed by name. */
export const edits: Readonly<Record<string, Edit>> = {
  "a block put in": (text, random, tracer) => {
    const to = pickGap(text.text, random);
    return splice(text, to, to, tracer.write(randomBlock(random)));
  },
  "a sentence put in": (text, random, tracer) => {
    const at = pickSpan(text.text, /\. /g, random);
    return at ? splice(text, at.end, at.end, tracer.write(`${randomSentence(random)} `)) : text;
  },
  "a word put in": onSpan(words, (text, { end }, random, tracer) =>
    splice(text, end, end, tracer.write(` ${randomWord(random)}`)),
  ),
  "a block deleted": onSpan(blocks, (text, span) => remove(text, span)),
  "a line deleted": onSpan(linePattern, (text, span) => remove(text, span)),
  "a sentence deleted": onSpan(/[A-Z][^.\n]*\. ?/g, (text, span) => remove(text, span)),
  "a word deleted": onSpan(/ [\p{L}\p{N}]+/gu, (text, span) => remove(text, span)),
  "a block moved": move(blocks),
  "a line moved": move(linePattern),
  "a block duplicated": duplicate(false),
  "a block duplicated and its copy changed": duplicate(true),
  "a word replaced": replaceWord,
  "three words replaced": (text, random, tracer) =>
    [1, 2, 3].reduce((left) => replaceWord(left, random, tracer), text),
  "a word misspelt": typo,
  "a sentence written anew": onSpan(/[A-Z][^.\n]*\./g, (text, { start, end }, random, tracer) =>
    splice(text, start, end, tracer.write(randomSentence(random))),
  ),
  "a block written anew": onSpan(blocks, (text, { start, end }, random, tracer) =>
    splice(text, start, end, tracer.write(randomBlock(random))),
  ),
  "a block put into another": onSpan(blocks, (text, { start, end }, _random, tracer) => {
    const nested = findSpans(text.text.slice(start, end), linePattern).map((line) =>
      concat(tracer.write("> "), slice(text, start + line.start, start + line.end)),
    );
    return splice(text, start, end, concat(...nested, tracer.write("\n")));
  }),
  "a list indented": onSpan(/(?:- [^\n]*\n)+/g, (text, { start, end }, _random, tracer) => {
    const nested = findSpans(text.text.slice(start, end), linePattern).map((line) =>
      concat(tracer.write("  "), slice(text, start + line.start, start + line.end)),
    );
    return splice(text, start, end, concat(...nested));
  }),
};
