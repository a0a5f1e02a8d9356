import { type AnchoredQuote, startReanchoring } from "@merkle/wire/document";
import { limits } from "@merkle/wire/limits";
import { definePart, type Figure } from "../part.js";
import { median } from "../statistics.js";

/** How a document's lines change in one step. */
type Edit = "few" | "tenth" | "every" | "halves" | "one";
type Round = Readonly<Record<Edit, { readonly ms: number; readonly passMs: number }>>;

/**
 * The cost of locating all comments on a document, compared with reading both versions once, character by character.
 */
export const anchors = definePart<Round>({
  name: "anchors",
  rounds: { quick: 3, full: 9 },
  figures: [
    toFigure("a line in a hundred changed", "few"),
    toFigure("a line in ten changed", "tenth"),
    toFigure("every line changed", "every"),
    toFigure("the halves changed places", "halves"),
    toFigure("all in one line, a word in a hundred changed", "one"),
  ],
  async open() {
    const documents = makeDocuments();
    const measure = async () => ({
      few: measureOne(documents.few),
      tenth: measureOne(documents.tenth),
      every: measureOne(documents.every),
      halves: measureOne(documents.halves),
      one: measureOne(documents.one),
    });
    return { warmUp: measure, measure, close: async () => {} };
  },
});

interface Document {
  readonly before: string;
  readonly after: string;
  readonly anchors: readonly AnchoredQuote[];
}

function toFigure(what: string, edit: Edit): Figure<Round> {
  return {
    name: `${limits.openTopicsPerSourceMax} places in 512 KiB, ${what}`,
    unit: "ms",
    limitName: "one pass over both texts",
    value: (round) => round[edit].ms,
    limit: (round) => round[edit].passMs,
    target: { valueAtMost: 300 },
  };
}

function measureOne({ before, after, anchors }: Document): Round[Edit] {
  const passMs = median(
    Array.from({ length: 9 }, () => timeOf(() => sumOfUnits(before) + sumOfUnits(after))),
  );
  const ms = timeOf(() => {
    const find = startReanchoring(before, after);
    return anchors.filter((anchor) => find(anchor) !== null).length;
  });
  return { ms, passMs };
}

/** Combines all results. Using the results keeps the compiler from removing the measured work. */
let used = 0;

/** Measures CPU time, not elapsed time, because other programs interrupt long work more often than short work. */
function timeOf(done: () => number): number {
  const begunAt = process.cpuUsage();
  used = (used + done()) | 0;
  const { user, system } = process.cpuUsage(begunAt);
  return (user + system) / 1_000;
}

function sumOfUnits(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

function makeDocuments(): Readonly<Record<Edit, Document>> {
  const lines = makeLines(limits.documentBytesMax - 40_000);
  const changed = (every: number) =>
    lines.map((line, number) => (number % every === 0 ? line.replace(/\S+/, `new${number}`) : line));
  const half = Math.floor(lines.length / 2);
  const oneLine = lines.join("").replaceAll("\n", " ");
  let word = 0;
  const oneLineChanged = oneLine.replace(/\w+/g, (each) => (++word % 100 === 0 ? `new${word}` : each));
  return {
    few: toDocument(lines, changed(100)),
    tenth: toDocument(lines, changed(10)),
    every: toDocument(lines, changed(1)),
    halves: toDocument(lines, [...lines.slice(half), ...lines.slice(0, half)]),
    one: toDocument([oneLine], [oneLineChanged]),
  };
}

function toDocument(lines: readonly string[], changed: readonly string[]): Document {
  const [before, after] = [lines.join(""), changed.join("")];
  const count = limits.openTopicsPerSourceMax;
  const anchors = Array.from({ length: count }, (_, number) => {
    const from = Math.floor((before.length / count) * number);
    const start = before.indexOf(" ", from) + 1;
    const end = before.indexOf(" ", start + (quoteLengths[number % quoteLengths.length] ?? 12));
    return { quote: before.slice(start, end), start, end };
  });
  return { before, after, anchors };
}

const quoteLengths = [4, 12, 30, 80, 200, 400];

/** Returns paragraphs of 6 to 30 words. Some words occur in most of them. */
function makeLines(bytes: number): string[] {
  const lines: string[] = [];
  let number = 0;
  for (let length = 0; length < bytes; ) {
    const words = Array.from({ length: 6 + (lines.length % 25) }, () => wordAt(number++));
    const line = `${words.join(" ")}.\n`;
    lines.push(line);
    length += line.length;
  }
  return lines;
}

const vocabularySize = 4_000;

/** Returns a pseudorandom word, the same in every run. */
function wordAt(number: number): string {
  const mixed = Math.imul((number + 1) ^ ((number + 1) >>> 7), 2_654_435_761);
  const chance = (Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519) >>> 0) / 2 ** 32;
  return (4_096 + Math.floor(vocabularySize * chance * chance) * 37).toString(36);
}
