import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleFiles, type Finding, type RecordReport } from "@merkle/wire/record";
import { createRandom } from "../faults/random.js";
import { importInto, verifyWhole, zipTexts } from "./bundles.js";
import { type MadeBundle, makeBundle, makeKey, type TestKey, toBundleSource } from "./made-bundle.js";
import { type ExpectedFinding, type Tampering, tamperWithBundle } from "./tamper.js";

/** A change that was not detected as expected: its name, the expected position, and the actual findings. */
export interface MissedChange {
  readonly number: number;
  readonly name: string;
  readonly expected: ExpectedFinding;
  readonly found: unknown;
}

interface TamperedBundle extends Tampering {
  readonly number: number;
  readonly made: MadeBundle;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Makes random changes to bundles. Returns the changes that were not detected or whose position was reported wrongly.
 */
export async function tamperWithBundles(count: number, seed: number): Promise<MissedChange[]> {
  const missed: MissedChange[] = [];
  for (const each of tamperings(count, seed)) {
    const { number, made, texts } = each;
    const trusted = {
      keys: [made.key.key],
      heads: [made.headAt(Math.min(9, made.lines.length)), made.headAt(made.lines.length)],
    };
    const report = await verifyWhole(toBundleSource(texts), { trusted });
    if (!isCaught(each, report)) missed.push(toMissed(number, each, report));
  }
  return missed;
}

function* tamperings(count: number, seed: number): Generator<TamperedBundle> {
  const random = createRandom(seed);
  const key = makeKey();
  let made = makeBundle({ keys: [key] });
  for (let number = 1; number <= count; number++) {
    // Creates another record of a different length every 50 changes.
    const other = made.texts;
    if (number % 50 === 1) {
      made = makeBundle({ messages: random.between(9, 60), sealedAt: random.between(2, 7) * 3, keys: [key] });
    }
    const texts = new Map(made.texts);
    const of = number % 50 === 1 ? other : makeOther(key);
    yield { number, made, texts, ...tamperWithBundle({ texts, key: made.key, other: of }, random) };
  }
}

let others: { readonly key: TestKey; readonly texts: ReadonlyMap<string, string> } | undefined;

function makeOther(key: TestKey): ReadonlyMap<string, string> {
  if (others?.key !== key)
    others = { key, texts: makeBundle({ messages: 12, sealedAt: 9, keys: [key] }).texts };
  return others.texts;
}

/**
 * Makes random changes to bundles and checks them with the Python verifier, which shares no code with Merkle. The
 * verifier knows the key but no earlier head.
 */
export async function tamperForPython(count: number, seed: number): Promise<MissedChange[]> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-tamper-"));
  try {
    const missed: MissedChange[] = [];
    let batch: (TamperedBundle & { path: string })[] = [];
    const check = async () => {
      const answers = await runPython(batch.map(({ path, made }) => [path, made.key.key.public_key]));
      for (const [place, each] of batch.entries()) {
        const found = answers[place] ?? [];
        if (!isLocated(each, found)) missed.push({ ...about(each), found: found.slice(0, 3) });
        await rm(each.path);
      }
      batch = [];
    };
    for (const each of tamperings(count, seed)) {
      if (each.byInsider) continue;
      const path = join(folder, `${each.number}.zip`);
      await writeFile(path, await zipTexts(each.texts));
      batch.push({ ...each, path });
      if (batch.length === 200) await check();
    }
    await check();
    return missed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the Python verifier. Returns the findings for each bundle as pairs of a file and a sentence. */
async function runPython(
  bundles: readonly (readonly [path: string, key: string])[],
): Promise<[string, string][][]> {
  const script = `import json, sys; sys.path.insert(0, sys.argv[1]); import verify_record
print(json.dumps([list(verify_record.verify(path, key)[0]) for path, key in json.loads(sys.argv[2])]))`;
  const docs = fileURLToPath(new URL("../../docs", import.meta.url));
  const args = ["-B", "-c", script, docs, JSON.stringify(bundles)];
  const { stdout } = await promisify(execFile)("python3", args, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

function isLocated(
  { expected }: Tampering,
  found: readonly (readonly [file: string, sentence: string])[],
): boolean {
  if ("file" in expected) return found.some(([file]) => file === expected.file);
  const own = expected.log === "feed" ? bundleFiles.feed : bundleFiles.versions;
  return found.some(
    ([file, sentence]) =>
      file === own &&
      (sentence.match(/\d+/g) ?? []).some((number) => expected.from <= +number && +number <= expected.to),
  );
}

/**
 * Imports bundles with random changes over the genuine record, which must remain unchanged. A record that is signed
 * entirely with another key may be imported, as a separate record under that key.
 */
export async function tamperByImport(
  url: string,
  { count, seed }: { count: number; seed: number },
): Promise<MissedChange[]> {
  const missed: MissedChange[] = [];
  let genuine: { made: MadeBundle; session: string } | undefined;
  for (const each of tamperings(count, seed)) {
    const { made, texts } = each;
    if (genuine?.made !== made) {
      const { status, body } = await importInto(url, await zipTexts(made.texts));
      if (status !== 200) throw new Error(`The genuine record should be imported: ${JSON.stringify(body)}`);
      genuine = { made, session: Object(body).session_id };
    }
    const { status, body } = await importInto(url, await zipTexts(texts));
    const { session_id, key_id, error } = Object(body);
    const isOther = status === 200 && key_id !== made.key.key.key_id && session_id !== genuine.session;
    const { details } = Object(error);
    const findings: Finding[] = details?.findings ?? [];
    const isRefused =
      (status === 400 && findings.some(({ file }) => file !== undefined)) ||
      (status === 409 && each.byInsider);
    if (!isRefused && !isOther) missed.push({ ...about(each), found: { status, body } });
    if (each.number % 50 === 0) {
      const again = await importInto(url, await zipTexts(made.texts));
      const isHere = Object(again.body).session_id === genuine.session && Object(again.body).added === 0;
      if (!isHere) missed.push({ ...about(each), found: { genuine: again } });
    }
  }
  return missed;
}

function about({ number, name, expected }: TamperedBundle): Omit<MissedChange, "found"> {
  return { number, name, expected };
}

/**
 * True if the verifier reports a problem, and its first finding about a message or version names the right position.
 */
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
): MissedChange {
  return { number, name, expected, found: ok ? "nothing" : findings.slice(0, 3) };
}
