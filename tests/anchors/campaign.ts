import {
  type AnchoredQuote,
  extractContext,
  type ReanchoredSpan,
  startReanchoring,
} from "@merkle/wire/document";
import { createRandom, type Random } from "../faults/random.js";
import { edits } from "./edits.js";
import { concat, createTracer, randomBlock, type TracedText, type Tracer } from "./traced-text.js";

export interface Campaign {
  /** Wrong answers, each with the details needed to reproduce it. */
  readonly wrong: readonly string[];
  /**
   * Number of searches for marked places. `untouched` counts the places whose lines had not changed, and
   * `untouchedFound` how many of these were found.
   */
  readonly places: number;
  readonly edits: number;
  readonly untouched: number;
  readonly untouchedFound: number;
  readonly found: Readonly<Record<string, number>>;
}

export interface CampaignOptions {
  readonly documents: number;
  readonly seed: number;
  /** Index of the first document (default: 0). With `documents: 1` this reruns a single document. */
  readonly first?: number;
}

/**
 * Makes edits with a known outcome to documents, several per round, and searches for the marked places after each
 * round.
 */
export function runCampaign({ documents, seed, first = 0 }: CampaignOptions): Campaign {
  const wrong: string[] = [];
  const found: Record<string, number> = {};
  const sum = { places: 0, edits: 0, untouched: 0, untouchedFound: 0 };
  for (let document = first; document < first + documents; document++) {
    // Each document has its own random generator, so that a single document can be rerun.
    const random = createRandom(seed + 7919 * document);
    const tracer = createTracer();
    const written = concat(
      ...Array.from({ length: random.between(4, 14) }, () => tracer.write(randomBlock(random))),
    );
    let known: Edited = { ...written, version: 0 };
    const marks = Array.from({ length: 8 }, () => mark(known, random));
    for (let version = 1; version <= 6; version++) {
      const { text, done } = edit(known, random, tracer);
      sum.edits += done.length;
      const searches = new Map<string, ReturnType<typeof startReanchoring>>();
      for (const each of marks) {
        const search = searches.get(each.text.text) ?? startReanchoring(each.text.text, text.text);
        searches.set(each.text.text, search);
        const answer = search(each.anchor);
        sum.places++;
        const how = answer?.how ?? "lost";
        found[how] = (found[how] ?? 0) + 1;
        const problem = judge(each, text, answer, tracer);
        if (problem !== null)
          wrong.push(
            [
              `seed ${seed} document ${document} version ${version}: ${problem} after ${done.join(", ")}`,
              `quote ${JSON.stringify(each.anchor.quote)}`,
              `at ${JSON.stringify(around(each.text.text, each.anchor))}`,
              `found ${how} ${answer ? JSON.stringify(around(text.text, answer)) : ""}`,
            ].join("\n  "),
          );
        if (isUntouched(each, text)) {
          sum.untouched++;
          if (answer) sum.untouchedFound++;
        }
        if (answer) Object.assign(each, { anchor: { ...each.anchor, ...answer }, text });
      }
      known = text;
    }
  }
  return { wrong, found, ...sum };
}

/** A document's text after a number of edit rounds. */
interface Edited extends TracedText {
  readonly version: number;
}

interface Mark {
  anchor: AnchoredQuote;
  /** The text in which the place was last found. */
  text: Edited;
}

function mark(text: Edited, random: Random): Mark {
  const words = Array.from(text.text.matchAll(/[^\s]+/g));
  const first = random.between(0, words.length - 1);
  const count = random.pick([1, 1, 2, 3, 5, 8, 15, 40]);
  const last = Math.min(first + count, words.length) - 1;
  const start = words[first]?.index ?? 0;
  const end = (words[last]?.index ?? 0) + (words[last]?.[0].length ?? 1);
  return { anchor: { quote: text.text.slice(start, end), start, end }, text };
}

const names = Object.keys(edits);

function edit(text: Edited, random: Random, tracer: Tracer): { text: Edited; done: string[] } {
  const done = Array.from(
    { length: random.pick([1, 1, 2, 3, 6]) },
    () => names[random.between(0, names.length - 1)] ?? "",
  );
  const edited = done.reduce<TracedText>((left, name) => edits[name]?.(left, random, tracer) ?? left, text);
  return { text: { ...(edited.text === "" ? text : edited), version: text.version + 1 }, done };
}

/**
 * Returns what is wrong with an answer, or null if the answer is right. If nothing of the original place is left, a
 * pasted copy counts as the place. An answer with the right text may contain some retyped characters if most are
 * original.
 */
function judge(
  { anchor, text }: Mark,
  now: Edited,
  answer: ReanchoredSpan | null,
  tracer: Tracer,
): string | null {
  if (!answer) return null;
  const own = new Set(text.ids.slice(anchor.start, anchor.end));
  const place = now.ids.slice(answer.start, answer.end);
  const [before, alive] = [new Set(text.ids), new Set(now.ids)];
  const belongs = (id: number): boolean => {
    if (own.has(id)) return true;
    const original = tracer.copiedFrom(id);
    return original !== undefined && !before.has(id) && !alive.has(original) && belongs(original);
  };
  const shared = place.filter(belongs).length;
  if (isPutBack(anchor, text, answer, now)) return null;
  if (shared < 0.5 * place.length) return `${answer.how} at another place (${shared} of ${place.length})`;
  if (answer.how === "reworded") {
    const survivors = [...own].filter((id) => alive.has(id)).length;
    return shared >= 0.5 * survivors ? null : `a part of it alone (${shared} of ${survivors})`;
  }
  const reads = now.text.slice(answer.start, answer.end);
  return reads === text.text.slice(anchor.start, anchor.end) ? null : `${answer.how}, but it reads ${reads}`;
}

/**
 * True if deleted text was restored word for word, between the same words or as a unique line. A reader cannot tell the
 * restored text from the original.
 */
function isPutBack(anchor: AnchoredQuote, text: Edited, answer: ReanchoredSpan, now: Edited): boolean {
  if (text.version + 1 >= now.version) return false;
  if (around(text.text, anchor) === around(now.text, answer)) return true;
  const [own, found] = [lineAround(text.text, anchor), lineAround(now.text, answer)];
  const isSame = own.line === found.line && anchor.start - own.start === answer.start - found.start;
  const isOne = [text.text, now.text].every((each) => each.split(own.line).length === 2);
  return isSame && isOne && own.line.trim().length >= tellingChars;
}

function lineAround(text: string, { start, end }: { start: number; end: number }) {
  const from = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const to = text.indexOf("\n", end - 1) + 1 || text.length;
  return { start: from, line: text.slice(from, to) };
}

const tellingChars = 24;

/** True if a place's lines are unchanged and unique in the text. A search should find such a place. */
function isUntouched({ anchor, text }: Mark, now: Edited): boolean {
  const { start, line } = lineAround(text.text, anchor);
  const at = now.ids.indexOf(text.ids[start] ?? -1);
  if (at < 0) return false;
  const isSame = text.ids.slice(start, start + line.length).every((id, index) => now.ids[at + index] === id);
  const isOne = [text.text, now.text].every((each) => each.split(line).length === 2);
  return isSame && isOne && line.trim().length >= tellingChars;
}

function around(text: string, { start, end }: { start: number; end: number }): string {
  const { prefix, suffix } = extractContext(text, { start, end });
  return `${prefix}[[${text.slice(start, end)}]]${suffix}`;
}
