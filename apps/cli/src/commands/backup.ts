import { resolve } from "node:path";
import type { Command } from "../command/command.js";
import { loadBroker } from "../core/broker-code.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { formatCount } from "../text/time.js";

export const backup: Command = {
  name: "backup",
  summary: "back up everything to one file; the broker can keep running",
  arguments: [{ name: "<file>", summary: "the file to write" }],
  flags: [{ flags: "--overwrite", summary: "replace an existing file" }],
  examples: ["merkle backup merkle.backup", "merkle backup --overwrite /srv/backup/merkle.backup"],
  offline: true,
  envFiles: true,
  async run({ args: [name = ""], flags, config, output, signal }) {
    const { backupHome } = await loadBroker();
    const file = resolve(name);
    const summary = await backupHome({ ...config, file, overwrite: isSet(flags, "overwrite"), signal });
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
