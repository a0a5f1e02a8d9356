import type { OutputOf } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { getPersonActor } from "../identity/actors.js";
import { formatTable } from "../text/table.js";
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
  const rows = kinds.map(([kind, rows]) => `  ${kind.padEnd(width)}  ${rows.toLocaleString("en")}`);
  return [dry_run ? "would be deleted" : "gone", ...rows].join("\n");
}

function formatTableSizes({ tables, database_bytes }: OutputOf<"collect_garbage">, output: Output): string {
  const rows = tables.map(({ name, bytes, index_bytes, rows: count, dead_rows, vacuumed_at }) =>
    [
      name,
      describeBytes(bytes),
      `indexes ${describeBytes(index_bytes)}`,
      formatCount(count, "row"),
      `${dead_rows.toLocaleString("en")} dead`,
      vacuumed_at === null ? "" : `vacuumed ${toAge(vacuumed_at)} ago`,
    ].map((text) => ({ text })),
  );
  const table = formatTable(rows, {
    columns: output.columns,
    flexible: [[5, 1], 0],
    more: output.signs.more,
  });
  return `the database has ${describeBytes(database_bytes)}\n${table}`;
}
