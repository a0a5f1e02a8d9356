import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { Result, Round } from "./figures.js";
import { median } from "./statistics.js";

/** What the figures depend on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly postgres: string;
}

export function describeMachine(postgres: string): Machine {
  const cores = cpus();
  return { cpu: cores[0]?.model ?? "unknown", cores: cores.length, node: process.version, postgres };
}

export function printReport(machine: Machine, results: readonly Result[], rounds: readonly Round[]): void {
  const { cpu, cores, node, postgres } = machine;
  const head = ["Figure", "Unit", "Value", "Limit", "", "Ratio", "Spread", "Target", ""];
  const lines = results.map((each) => [
    each.name,
    each.unit,
    toText(each.value),
    toText(each.limit),
    each.limitName,
    each.ratio.toFixed(2),
    `${each.ratioMin.toFixed(2)}–${each.ratioMax.toFixed(2)}`,
    each.target ?? "",
    each.reached === null ? "" : each.reached ? "ok" : "below",
  ]);
  console.log(
    `${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}, ${rounds.length} rounds (medians)\n`,
  );
  console.log(toTable([head, ...lines]));
  const ofPosts = (cost: "brokerCpuMicrosecondsEach" | "cpuMicrosecondsEach") =>
    median(rounds.map((round) => round.posts["1000"][cost])).toFixed(1);
  const receiptCost = median(rounds.map((round) => round.fanOut.cpuMicrosecondsEach));
  console.log(
    `\nProcessor time of a post at 1,000 in flight: broker ${ofPosts("brokerCpuMicrosecondsEach")} µs, load generator ` +
      `${ofPosts("cpuMicrosecondsEach")} µs; of a delivery in the load generator: ${receiptCost.toFixed(2)} µs.`,
  );
}

export async function writeJson(
  machine: Machine,
  results: readonly Result[],
  rounds: readonly Round[],
): Promise<string> {
  // From bench/dist/.
  const folder = fileURLToPath(new URL("../../bench-results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}${at.replaceAll(":", "-")}.json`;
  await writeFile(file, `${JSON.stringify({ at, machine, results, rounds }, null, 2)}\n`);
  return file;
}

function toText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const numeric = new Set([2, 3, 5]);
  return rows
    .map((row) =>
      row
        .map((text, column) => {
          const width = widths[column] ?? 0;
          return numeric.has(column) ? text.padStart(width) : text.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
