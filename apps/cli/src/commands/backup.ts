import { resolve } from "node:path";
import type { BackupProgress } from "@merkle/broker";
import type { Command } from "../command/command.js";
import { createProgressLine } from "../command/progress.js";
import { loadBroker } from "../core/broker-code.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { formatCount } from "../text/time.js";

export const backup: Command = {
  name: "backup",
  summary: "back up everything to one file; the broker can keep running",
  arguments: [{ name: "<file>", summary: "the file to write" }],
  flags: [{ flags: "--force", summary: "replace an existing file" }],
  examples: ["merkle backup merkle.backup", "merkle backup --force /srv/backup/merkle.backup"],
  offline: true,
  envFiles: true,
  async run({ args: [name = ""], flags, config, io, output, signal }) {
    const { backupHome } = await loadBroker();
    const file = resolve(name);
    const progress = createProgressLine({ flags, io });
    const onProgress = ({ done, total }: BackupProgress) =>
      progress.show({ name: "backing up", done, total, format: formatRows });
    const overwrite = isSet(flags, "force");
    const summary = await backupHome({ ...config, file, overwrite, onProgress, signal }).finally(
      progress.end,
    );
    const rows = countRows(summary.tables);
    output.show(
      { file, bytes: summary.bytes, sha256: summary.sha256, epoch: summary.epoch, ...rows },
      `${output.mark.ok} ${describeRows(rows)} in ${file}`,
    );
    output.note("  also keep audit-key.json of this home in a private place: backups do not contain it");
    output.note(`  to restore it, set MERKLE_HOME to an empty folder and run: merkle restore ${name}`);
    return exitCodes.done;
  },
};

/** Formats a number of rows for a progress line. */
export function formatRows(rows: number): string {
  return formatCount(Math.round(rows), "row");
}

interface RowCounts {
  readonly sessions: number;
  readonly messages: number;
}

/** Returns the numbers of sessions and messages in a backup. */
export function countRows(tables: readonly { readonly name: string; readonly rows: number }[]): RowCounts {
  const countTable = (name: string) => tables.find((table) => table.name === name)?.rows ?? 0;
  return { sessions: countTable("sessions"), messages: countTable("messages") };
}

export function describeRows({ sessions, messages }: RowCounts): string {
  return `${formatCount(sessions, "session")}, ${formatCount(messages, "message")}`;
}
