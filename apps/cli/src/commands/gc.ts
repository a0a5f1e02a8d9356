import type { OutputOf } from "@merkle/wire";
import { describeBytes, formatNumber } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type Column, formatRows } from "../command/list.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { getPersonActor } from "../identity/actors.js";
import { formatCount, toAge } from "../text/time.js";

export const gc: Command = {
  name: "gc",
  summary: "delete data past its retention now (the broker does it hourly); feeds and records are kept",
  flags: [{ flags: "--dry-run", summary: "only show what would be deleted, and the table sizes" }],
  examples: ["merkle gc --dry-run", "merkle gc", "merkle config set progress_days 365"],
  async run({ flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const report = await getPersonActor({ broker, config }).call("collect_garbage", {
      dry_run: isSet(flags, "dryRun"),
    });
    output.show(report, `${describeRemoved(report)}\n\n${formatTableSizes(report, output)}`);
    return exitCodes.done;
  },
};

function describeRemoved({ removed, dry_run }: OutputOf<"collect_garbage">): string {
  const kinds = Object.entries(removed).filter(([, rows]) => rows > 0);
  if (kinds.length === 0) return dry_run ? "nothing would be deleted" : "nothing to delete";
  const width = Math.max(...kinds.map(([kind]) => kind.length));
  const rows = kinds.map(([kind, rows]) => `  ${kind.padEnd(width)}  ${formatNumber(rows)}`);
  return [dry_run ? "would be deleted" : "gone", ...rows].join("\n");
}

function formatTableSizes({ tables, database_bytes }: OutputOf<"collect_garbage">, output: Output): string {
  return `the database has ${describeBytes(database_bytes)}\n${formatRows(tables, columns, output)}`;
}

const columns: readonly Column<OutputOf<"collect_garbage">["tables"][number]>[] = [
  { head: "Table", cell: ({ name }) => name },
  { head: "Size", cell: ({ bytes }) => describeBytes(bytes) },
  { head: "Indexes", cell: ({ index_bytes }) => `indexes ${describeBytes(index_bytes)}` },
  { head: "Rows", cell: ({ rows }) => formatCount(rows, "row") },
  { head: "Dead rows", isOptional: true, cell: ({ dead_rows }) => `${formatNumber(dead_rows)} dead` },
  {
    head: "Vacuumed",
    isOptional: true,
    cell: ({ vacuumed_at: at }) => (at === null ? "" : `vacuumed ${toAge(at)} ago`),
  },
];
