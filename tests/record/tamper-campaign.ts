import { bundleFiles, type RecordReport } from "@merkle/wire/record";
import { createRandom } from "../faults/random.js";
import { verifyWhole } from "./bundles.js";
import { type MadeBundle, makeBundle, sourceOf } from "./made-bundle.js";
import { type Expected, type Tampering, tamperWithBundle } from "./tamper.js";

/** What was done, where it had to be found, and what was found instead. */
export interface Missed {
  readonly number: number;
  readonly name: string;
  readonly expected: Expected;
  readonly found: unknown;
}

/** Tampers with bundles in random ways; returns those that were not caught, or not where they were. */
export async function tamperWithBundles(count: number, seed: number): Promise<Missed[]> {
  const random = createRandom(seed);
  const missed: Missed[] = [];
  let made: MadeBundle | undefined;
  for (let number = 1; number <= count; number++) {
    // A fresh record now and then, of another length.
    if (number % 50 === 1 || !made) {
      made = makeBundle({ messages: random.between(9, 60), sealedAt: random.between(2, 7) * 3 });
    }
    const texts = new Map(made.texts);
    const tampering = tamperWithBundle({ texts, key: made.key }, random);
    const trusted = {
      keys: [made.key.key],
      heads: [made.headAt(Math.min(9, made.lines.length)), made.headAt(made.lines.length)],
    };
    const report = await verifyWhole(sourceOf(texts), { trusted });
    if (!isCaught(tampering, report)) missed.push(toMissed(number, tampering, report));
  }
  return missed;
}

/** Whether something is found wrong, and the first thing about a message or version is about the right one. */
export function isCaught({ expected }: Tampering, { ok, findings }: RecordReport): boolean {
  if (ok) return false;
  if ("file" in expected) return findings.some(({ file }) => file === expected.file);
  const [first] = findings.flatMap((finding) => {
    const to = expected.log === "feed" ? finding.sequence : finding.document_version;
    const from = expected.log === "feed" ? finding.from_sequence : finding.from_document_version;
    const isOfLog = finding.file === (expected.log === "feed" ? bundleFiles.feed : bundleFiles.versions);
    return to === undefined || !isOfLog ? [] : [{ from: from ?? to, to }];
  });
  return first !== undefined && first.from <= expected.to && expected.from <= first.to;
}

export function toMissed(
  number: number,
  { name, expected }: Tampering,
  { ok, findings }: RecordReport,
): Missed {
  return { number, name, expected, found: ok ? "nothing" : findings.slice(0, 3) };
}
