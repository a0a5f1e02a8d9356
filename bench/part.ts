import type { Stage } from "./stage.js";
import { median } from "./statistics.js";

/** A group of figures measured in rounds. Each round measures a figure and its limit one after the other. */
export interface PartDefinition<Round> {
  readonly name: string;
  /** Number of rounds in a quick and a full run. A part with one round is never repeated. */
  readonly rounds: { readonly quick: number; readonly full: number };
  readonly figures: readonly Figure<Round>[];
  /** Starts the processes that the part measures. */
  open(stage: Stage, pace: Pace): Promise<OpenPart<Round>>;
  /** Returns sentences to print below the table. */
  notes?(rounds: readonly Round[]): readonly string[];
}

export interface OpenPart<Round> {
  /**
   * Runs once before the first round, for a shorter time. The warm-up compiles hot code and gives the database its
   * statistics.
   */
  warmUp?(): Promise<unknown>;
  measure(): Promise<Round>;
  close(): Promise<void>;
}

/** How long each measurement takes. */
export interface Pace {
  readonly quick: boolean;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Durations of the warm-up round, whose results are discarded. */
export const warmUpTimes = { warmUpMs: 50, measureMs: 150 };

/**
 * A line of the report: a value next to its limit, both from the same rounds. `value` and `limit` return null if a
 * round did not measure them.
 */
export interface Figure<Round> {
  readonly name: string;
  readonly unit: Unit;
  readonly limitName: string;
  value(round: Round): number | null;
  limit(round: Round): number | null;
  readonly target?: Target | undefined;
}

export type Unit =
  | "posts/s"
  | "deliveries/s"
  | "claims/s"
  | "ms"
  | "µs"
  | "kB"
  | "bytes"
  | "% of a core"
  | "×";

/** The target for the ratio of value to limit, or for the value itself. */
export type Target =
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly valueAtMost: number };

/** A figure over all rounds: the medians, and the range of the ratio. */
export interface Result {
  readonly part: string;
  readonly name: string;
  readonly unit: Unit;
  readonly value: number;
  readonly limitName: string;
  readonly limit: number;
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly target: string | null;
  readonly reached: boolean | null;
}

export interface PartReport {
  readonly name: string;
  readonly results: readonly Result[];
  readonly notes: readonly string[];
  /** The results of all measured rounds. */
  readonly rounds: readonly unknown[];
}

/** A part, regardless of the type of its rounds. */
export interface Part {
  readonly name: string;
  run(stage: Stage, pace: Pace, rounds?: number): Promise<PartReport>;
}

export function definePart<Round>(definition: PartDefinition<Round>): Part {
  return {
    name: definition.name,
    run: (stage, pace, rounds) => runPart(definition, stage, pace, rounds),
  };
}

async function runPart<Round>(
  definition: PartDefinition<Round>,
  stage: Stage,
  pace: Pace,
  wanted: number | undefined,
): Promise<PartReport> {
  const { name, figures } = definition;
  const usual = pace.quick ? definition.rounds.quick : definition.rounds.full;
  const count = definition.rounds.full === 1 ? 1 : (wanted ?? usual);
  const begunAt = performance.now();
  const part = await definition.open(stage, pace);
  const rounds: Round[] = [];
  try {
    await part.warmUp?.();
    for (let round = 1; round <= count; round += 1) {
      console.error(`${name}, round ${round} of ${count}`);
      rounds.push(await part.measure());
    }
  } finally {
    await part.close();
  }
  console.error(`${name} took ${Math.round((performance.now() - begunAt) / 1_000)} s`);
  return {
    name,
    results: figures.flatMap((figure) => toResult(name, figure, rounds) ?? []),
    notes: definition.notes?.(rounds) ?? [],
    rounds,
  };
}

/** @returns null if no round measured the figure */
function toResult<Round>(part: string, figure: Figure<Round>, rounds: readonly Round[]): Result | null {
  const measured = rounds.flatMap((round) => {
    const [value, limit] = [figure.value(round), figure.limit(round)];
    return value === null || limit === null ? [] : [{ value, limit, ratio: value / limit }];
  });
  if (measured.length === 0) return null;
  const ratios = measured.map((each) => each.ratio);
  const middle = {
    value: median(measured.map((each) => each.value)),
    limit: median(measured.map((each) => each.limit)),
    ratio: median(ratios),
  };
  const { name, unit, limitName, target } = figure;
  return {
    part,
    name,
    unit,
    limitName,
    ...middle,
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    target: target ? describeTarget(target, unit) : null,
    reached: target ? isReached(target, middle) : null,
  };
}

function describeTarget(target: Target, unit: Unit): string {
  if ("atLeast" in target) return `≥ ${target.atLeast}`;
  if ("atMost" in target) return `≤ ${target.atMost}`;
  return `≤ ${target.valueAtMost.toLocaleString("en")} ${unit}`;
}

function isReached(target: Target, { value, ratio }: { value: number; ratio: number }): boolean {
  if ("atLeast" in target) return ratio >= target.atLeast;
  if ("atMost" in target) return ratio <= target.atMost;
  return value <= target.valueAtMost;
}
