import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { isReached, type Machine, type Measurement } from "./measurement.js";

export interface PartResult {
  readonly part: string;
  readonly measurements: readonly Measurement[];
  /** Why the part could not be measured. */
  readonly failure?: string;
  /** The machine's load before and after the run. Times are unreliable if the load exceeds the number of cores. */
  readonly load: readonly [number, number];
}

export interface Run {
  readonly machine: Machine;
  readonly results: readonly PartResult[];
}

export function printResults({ machine, results }: Run): void {
  const lines = results.flatMap(({ part, measurements, failure, load }) => [
    ...measurements.map((each) => toLine(each, machine, load)),
    ...(failure === undefined ? [] : [`| ${part} | not measured: ${failure} | | | | ${toLoad(load)} |`]),
  ]);
  const head = ["| Figure | Value | Budget | | Against the machine | Load |", "|---|---|---|---|---|---|"];
  console.log([...head, ...lines].join("\n"));
  console.log(
    `\n* is required. The machine: an empty page's LCP ${toText(machine.page)} ms, 20 million steps of a loop ` +
      `${toText(machine.loop)} ms, a round trip over a WebSocket ${toText(machine.socket)} ms, ` +
      `scrolling plain text ${toText(machine.scroll)} fps; ${cpus().length} cores.`,
  );
}

/** True if every required measurement was made and is within its budget. */
export function isPassed({ results }: Run): boolean {
  return results.every(
    ({ measurements, failure }) =>
      failure === undefined && measurements.every((each) => !each.isRequired || isReached(each) === true),
  );
}

/** @returns the path of the file */
export async function writeResults(browser: string, run: Run): Promise<string> {
  const folder = fileURLToPath(new URL("../../bench-results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model, cores: cpus().length, node: process.version, browser, ...run.machine };
  const file = `${folder}dashboard-${at.replaceAll(":", "-")}.json`;
  await writeFile(file, `${JSON.stringify({ at, machine, results: run.results }, null, 2)}\n`);
  return file;
}

function toLine(measurement: Measurement, machine: Machine, load: PartResult["load"]): string {
  const { name, value, unit, budget, isRequired = false, against } = measurement;
  const reached = isReached(measurement);
  const wanted =
    budget === null ? "" : "atMost" in budget ? `≤ ${toText(budget.atMost)}` : `≥ ${toText(budget.atLeast)}`;
  const verdict = reached === null ? "" : reached ? "met" : "missed";
  const ratio = against === undefined ? "" : `${toText(value / machine[against])} × ${machineNames[against]}`;
  const cells = [name, `${toText(value)} ${unit}`, `${wanted}${isRequired ? " *" : ""}`, verdict, ratio];
  return `| ${cells.map((cell) => cell.trim()).join(" | ")} | ${toLoad(load)} |`;
}

const machineNames: Readonly<Record<keyof Machine, string>> = {
  page: "an empty page",
  loop: "the loop",
  socket: "a round trip",
  scroll: "plain text",
};

function toLoad([before, after]: PartResult["load"]): string {
  return `${before.toFixed(1)} – ${after.toFixed(1)}`;
}

function toText(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value < 1 ? 3 : 1;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
