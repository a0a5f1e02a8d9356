import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { isReached, type Measurement } from "./measurement.js";

export interface PartResult {
  readonly part: string;
  readonly measurements: readonly Measurement[];
}

export function printResults(results: readonly PartResult[]): void {
  const lines = results.flatMap(({ measurements }) => measurements).map(toLine);
  console.log(["| Figure | Value | Budget | |", "|---|---|---|---|", ...lines].join("\n"));
}

/** @returns where it was written */
export async function writeResults(browser: string, results: readonly PartResult[]): Promise<string> {
  const folder = fileURLToPath(new URL("../../bench-results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model, cores: cpus().length, node: process.version, browser };
  const file = `${folder}dashboard-${at.replaceAll(":", "-")}.json`;
  await writeFile(file, `${JSON.stringify({ at, machine, results }, null, 2)}\n`);
  return file;
}

function toLine(measurement: Measurement): string {
  const { name, value, unit, budget } = measurement;
  const reached = isReached(measurement);
  const wanted =
    budget === null ? "" : "atMost" in budget ? `≤ ${toText(budget.atMost)}` : `≥ ${toText(budget.atLeast)}`;
  const verdict = reached === null ? "" : reached ? "ok" : "missed";
  return `| ${name} | ${toText(value)} ${unit} | ${wanted} | ${verdict} |`;
}

function toText(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value < 1 ? 3 : 1;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
