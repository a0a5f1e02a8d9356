import type { Random } from "../faults/random.js";

/**
 * Text in which every character has a number. A moved character keeps its number. A copied character gets a new number,
 * and the tracer records its original. After any edit, the true position of a place is therefore known.
 */
export interface TracedText {
  readonly text: string;
  /** The number of each character, indexed by UTF-16 position. */
  readonly ids: readonly number[];
}

/** Assigns numbers to characters and records the original of each copied character. */
export interface Tracer {
  write(text: string): TracedText;
  copy(text: TracedText): TracedText;
  /** Returns the original of a copied character, or undefined if the character is not a copy. */
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

/** Returns a word. Some words are frequent and others rare, as in natural language. */
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
    // Nearly identical rows, as found in lists and tables.
    const name = randomWord(random);
    const rows = Array.from({ length: random.between(2, 5) }, () => `- ${name}: ${random.between(1, 99)}\n`);
    return `${rows.join("")}\n`;
  }
  if (kind < 0.4) return `- TODO\n- ${randomSentence(random)}\n\n`;
  return `${Array.from({ length: random.between(1, 5) }, () => randomSentence(random)).join(" ")}\n\n`;
}
