import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { type Target, targets } from "./targets.js";

/**
 * Mutates inputs and keeps those that reach new code, measured by V8's coverage: `npm run test:fuzz -- <target>
 * [seconds]`. @jazzer.js/core does this better, but needs a newer C library than the oldest system that Merkle is built
 * on. Inputs that fail or reach new code are stored in `corpus/`, which the suite replays.
 */
const corpusFolder = fileURLToPath(new URL("corpus/", import.meta.url));

/** Number of inputs per coverage measurement. It increases while no new code is reached. */
const batchMin = 1_000;
const batchMax = 16_000;
const inputBytesMax = 4_096;
/** An input that takes this long is reported, because no input exceeds 4 KB. */
const runMsMax = 2_000;
const keptMax = 400;

export interface Outcome {
  readonly executions: number;
  readonly reached: number;
  readonly corpus: readonly Buffer[];
  readonly failure: { readonly input: Buffer; readonly error: unknown } | null;
}

export async function fuzz(target: Target, given: readonly Buffer[], ms: number): Promise<Outcome> {
  const coverage = await startCoverage();
  const corpus = [...given];
  const reached = new Set<string>();
  let executions = 0;
  let batch = batchMin;
  let failure: Outcome["failure"] = null;

  /** Awaits a result only if it is a promise. Awaiting plain values would take longer than most parsers do. */
  async function runAll(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) {
      executions += 1;
      const began = performance.now();
      try {
        const running = target.run(input);
        if (running !== undefined) await running;
        const tookMs = performance.now() - began;
        if (tookMs > runMsMax) throw new Error(`It took ${Math.round(tookMs)} ms.`);
      } catch (error) {
        failure ??= { input, error };
      }
    }
  }

  /** Keeps the inputs that reach new code. Finds them by rerunning halves of the list until single inputs are left. */
  async function keepNew(inputs: readonly Buffer[]): Promise<void> {
    await runAll(inputs);
    const found = (await coverage.take()).filter((each) => !reached.has(each));
    if (found.length === 0) return;
    const half = inputs.length >> 1;
    if (half > 0) {
      await keepNew(inputs.slice(0, half));
      await keepNew(inputs.slice(half));
      return;
    }
    for (const each of found) reached.add(each);
    if (corpus.length < keptMax) corpus.push(...inputs);
  }

  try {
    await runAll(given);
    for (const each of await coverage.take()) reached.add(each);
    const until = performance.now() + ms;
    while (performance.now() < until && failure === null) {
      const before = corpus.length;
      await keepNew(Array.from({ length: batch }, () => change(corpus, target.words)));
      batch = corpus.length > before ? batchMin : Math.min(2 * batch, batchMax);
    }
  } finally {
    await coverage.stop();
  }
  return { executions, reached: reached.size, corpus, failure };
}

/**
 * Starts measuring coverage. Returns functions that report which blocks of our sources and parser dependencies have run
 * since the last call.
 */
async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    async take(): Promise<string[]> {
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return result
        .filter(({ url }) => /(?:packages|apps)\/[a-z]+\/(?:src|dist)|zip\.js/.test(url))
        .flatMap(({ scriptId, functions }) =>
          functions.flatMap(({ ranges }) =>
            ranges
              .filter(({ count }) => count > 0)
              .map((each) => `${scriptId}:${each.startOffset}-${each.endOffset}`),
          ),
        );
    },
    async stop() {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}

const interesting = [0, 1, 9, 10, 13, 32, 34, 47, 60, 92, 127, 128, 192, 224, 240, 255];
const below = (count: number) => Math.floor(Math.random() * count);
const oneOf = <Value>(values: readonly Value[], otherwise: Value): Value =>
  values[below(values.length)] ?? otherwise;

function change(corpus: readonly Buffer[], words: readonly string[]): Buffer {
  let input = oneOf(corpus, Buffer.alloc(0));
  for (let times = 1 + below(6); times > 0; times -= 1) {
    const at = below(input.length + 1);
    const length = 1 + below(Math.min(input.length - at, 64) + 1);
    const [before, after, rest] = [input.subarray(0, at), input.subarray(at), input.subarray(at + length)];
    switch (below(8)) {
      case 0:
        input = Buffer.concat([before, rest]);
        break;
      case 1:
        input = Buffer.concat([before, Buffer.from([oneOf(interesting, 0)]), rest]);
        break;
      case 2:
        input = Buffer.concat([before, Buffer.from([below(256)]), input.subarray(at + 1)]);
        break;
      case 3: {
        const other = oneOf(corpus, input);
        const from = below(other.length + 1);
        input = Buffer.concat([before, other.subarray(from, from + 1 + below(128)), after]);
        break;
      }
      case 4: {
        const part = after.subarray(0, length);
        input = Buffer.concat([before, ...Array.from({ length: 1 + below(16) }, () => part), after]);
        break;
      }
      default:
        input = Buffer.concat([before, Buffer.from(oneOf(words, "")), below(2) === 0 ? after : rest]);
    }
  }
  return input.subarray(0, inputBytesMax);
}

/** Returns all inputs of a target: its seeds, and inputs that were stored because they reached new code or failed. */
export function readCorpus(name: string): Buffer[] {
  const file = `${corpusFolder}${name}.json`;
  const kept: string[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const seeds = targets[name]?.seeds ?? [];
  return [
    ...seeds.map((text) => Buffer.from(text, name === "zip" ? "latin1" : "utf8")),
    ...kept.map((text) => Buffer.from(text, "latin1")),
  ];
}

export function listCorpusNames(): string[] {
  return readdirSync(corpusFolder).map((file) => file.replace(/\.json$/, ""));
}

function writeCorpus(name: string, corpus: readonly Buffer[]): void {
  mkdirSync(corpusFolder, { recursive: true });
  const kept = corpus.slice(targets[name]?.seeds.length ?? 0).map((input) => input.toString("latin1"));
  writeFileSync(`${corpusFolder}${name}.json`, `${JSON.stringify([...new Set(kept)], null, 2)}\n`);
}

async function main([name = "", seconds = "60"]: readonly string[]): Promise<void> {
  const target = targets[name];
  if (!target) throw new Error(`Name a target: ${Object.keys(targets).join(", ")}.`);
  const { executions, reached, corpus, failure } = await fuzz(
    target,
    readCorpus(name),
    Number(seconds) * 1000,
  );
  writeCorpus(name, failure ? [...corpus, failure.input] : corpus);
  process.stdout.write(
    `${name}: ${executions} executions, ${reached} blocks reached, ${corpus.length} inputs kept\n`,
  );
  if (!failure) return;
  const digest = createHash("sha256").update(failure.input).digest("hex").slice(0, 12);
  process.stdout.write(`failed (${digest}): ${JSON.stringify(failure.input.toString("latin1"))}\n`);
  throw failure.error;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
