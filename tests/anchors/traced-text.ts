import type { Random } from "../faults/random.js";

/**
 * A text in which every sign knows who it is: it keeps its number when it is moved, a copy has a number of its own and knows
 * of what it is one. So after any edit it is known, and not guessed, what became of a place.
 */
export interface TracedText {
  readonly text: string;
  /** For each UTF-16 unit its number. */
  readonly ids: readonly number[];
}

/** Gives out numbers, and remembers which sign each copy was made of. */
export interface Tracer {
  write(text: string): TracedText;
  copy(text: TracedText): TracedText;
  /** The sign that this one is a copy of, if it is one. */
  copiedFrom(id: number): number | undefined;
}

export function createTracer(): Tracer {
  const origins = new Map<number, number>();
  let last = 0;
  return {
    write: (text) => ({ text, ids: Array.from({ length: text.length }, () => ++last) }),
    copy: ({ text, ids }) => ({
      text,
      ids: ids.map((id) => {
        origins.set(++last, id);
        return last;
      }),
    }),
    copiedFrom: (id) => origins.get(id),
  };
}

export function slice({ text, ids }: TracedText, start: number, end = text.length): TracedText {
  return { text: text.slice(start, end), ids: ids.slice(start, end) };
}

export function concat(...parts: readonly TracedText[]): TracedText {
  return { text: parts.map((each) => each.text).join(""), ids: parts.flatMap((each) => each.ids) };
}

/** A text with something else in the place of a part of it. */
export function splice(whole: TracedText, start: number, end: number, instead: TracedText): TracedText {
  return concat(slice(whole, 0, start), instead, slice(whole, end));
}

const syllables = [
  "ka",
  "lo",
  "mi",
  "ter",
  "un",
  "sha",
  "ver",
  "do",
  "pri",
  "est",
  "ho",
  "gan",
  "ly",
  "bre",
  "cu",
];
const small = ["the", "a", "of", "and", "to", "is", "in", "for", "it", "on"] as const;

/** Words that come again and again, and words that are rare, as in a language. */
export function randomWord(random: Random): string {
  if (random.next() < 0.4) return random.pick(small);
  const count = random.between(2, 4);
  return Array.from({ length: count }, () => syllables[random.between(0, syllables.length - 1)]).join("");
}

export function randomSentence(random: Random): string {
  const words = Array.from({ length: random.between(4, 14) }, () => randomWord(random)).join(" ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

export function randomBlock(random: Random): string {
  const kind = random.next();
  if (kind < 0.15) return `## ${randomWord(random)} ${randomWord(random)}\n\n`;
  if (kind < 0.3) {
    // Rows that are nearly alike, as lists and tables have them.
    const name = randomWord(random);
    const rows = Array.from({ length: random.between(2, 5) }, () => `- ${name}: ${random.between(1, 99)}\n`);
    return `${rows.join("")}\n`;
  }
  if (kind < 0.4) return `- TODO\n- ${randomSentence(random)}\n\n`;
  return `${Array.from({ length: random.between(1, 5) }, () => randomSentence(random)).join(" ")}\n\n`;
}
