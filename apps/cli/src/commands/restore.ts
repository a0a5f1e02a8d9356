import { resolve } from "node:path";
import type { BackupProgress } from "@merkle/broker";
import { describeBytes } from "@merkle/wire/text";
import type { Command } from "../command/command.js";
import { createProgressLine } from "../command/progress.js";
import { loadBroker } from "../core/broker-code.js";
import { exitCodes } from "../core/cli-error.js";
import { countRows, describeRows, formatRows } from "./backup.js";

export const restore: Command = {
  name: "restore",
  summary: "restore a backup into an empty Merkle home; its broker must be stopped",
  arguments: [{ name: "<file>", summary: "file written by merkle backup" }],
  examples: ["merkle restore merkle.backup", "MERKLE_HOME=/srv/new merkle restore merkle.backup"],
  offline: true,
  envFiles: true,
  async run({ args: [name = ""], flags, config, io, output, signal }) {
    const { readAuditKeys, restoreHome } = await loadBroker();
    const file = resolve(name);
    const progress = createProgressLine({ flags, io });
    const onProgress = ({ step, done, total }: BackupProgress) =>
      progress.show(
        step === "check"
          ? { name: "checking the file", done, total, format: describeBytes }
          : { name: "restoring", done, total, format: formatRows },
      );
    const summary = await restoreHome({ ...config, file, onProgress, signal }).finally(progress.end);
    const rows = countRows(summary.tables);
    output.show(
      {
        file,
        epoch: summary.epoch,
        previous_epoch: summary.previousEpoch,
        skipped: summary.skipped,
        ...rows,
      },
      `${output.mark.ok} restored ${describeRows(rows)}; clients will resync`,
    );
    if (summary.skipped.length > 0) {
      output.note(
        `${output.mark.warn} not restored, because Merkle does not know these tables: ${summary.skipped.join(", ")}`,
      );
    }
    const isSigned = summary.tables.some(
      ({ name: table, rows: count }) => table === "audit_keys" && count > 0,
    );
    if (isSigned && (await readAuditKeys(config.home)).length === 0) {
      output.note("  copy audit-key.json here from the earlier Merkle home: backups do not contain it");
    }
    output.note("  next: merkle up");
    return exitCodes.done;
  },
};
