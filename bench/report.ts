import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { PartReport } from "./part.js";

/** The machine, and the versions of the software on it, which affect the figures. */
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

export function printReport({ cpu, cores, node, postgres }: Machine, reports: readonly PartReport[]): void {
  const rounds = reports.map((report) => `${report.name} ${report.rounds.length}`).join(", ");
  console.log(`${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}; rounds (medians): ${rounds}\n`);
  console.log(formatTable(reports));
  for (const note of reports.flatMap((report) => report.notes)) console.log(`\n${note}`);
}

/** Formats the figures of several parts, one line per figure. */
export function formatTable(reports: readonly PartReport[]): string {
  const head = ["Figure", "Unit", "Value", "Limit", "", "Ratio", "Spread", "Target", ""];
  const lines = reports
    .flatMap((report) => report.results)
    .map((each) => [
      each.name,
      each.unit,
      toText(each.value),
      toText(each.limit),
      each.limitName,
      each.ratio.toFixed(2),
      each.ratioMin === each.ratioMax ? "" : `${each.ratioMin.toFixed(2)}–${each.ratioMax.toFixed(2)}`,
      each.target ?? "",
      each.reached === null ? "" : each.reached ? "ok" : "missed",
    ]);
  return toTable([head, ...lines]);
}

/** @returns the path of the file */
export async function writeJson(machine: Machine, reports: readonly PartReport[]): Promise<string> {
  // The path is relative to bench/dist/, from which the compiled file runs.
  const folder = fileURLToPath(new URL("../../bench-results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}${at.replaceAll(":", "-")}.json`;
  await writeFile(file, `${JSON.stringify({ at, machine, parts: reports }, null, 2)}\n`);
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
