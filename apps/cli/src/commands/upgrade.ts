import { resolve } from "node:path";
import type { Command, CommandContext } from "../command/command.js";
import { loadBroker } from "../core/broker-code.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { upgradeCli } from "../install/upgrade-cli.js";
import { formatCount } from "../text/time.js";

export const upgrade: Command = {
  name: "upgrade",
  summary: "upgrade the database to this version, after a backup; merkle up does the same at its start",
  flags: [
    { flags: "--dry-run", summary: "try every migration, report the result and roll back" },
    { flags: "--no-backup", summary: "skip the backup before the first migration" },
    {
      flags: "--postgres <folder>",
      summary:
        "move the data of an older PostgreSQL, whose bin/ is in this folder, into the bundled PostgreSQL",
    },
    {
      flags: "--cli",
      summary: "update the merkle command from the broker that it was installed from",
    },
    { flags: "--from <url>", summary: "with --cli: broker to download the program from" },
    { flags: "-y, --yes", summary: "with --cli: skip the confirmation prompt" },
  ],
  examples: [
    "merkle upgrade --dry-run",
    "merkle upgrade",
    "merkle upgrade --postgres /usr/lib/postgresql/15",
    "merkle upgrade --cli",
  ],
  offline: true,
  envFiles: true,
  async run(context) {
    if (isSet(context.flags, "cli")) return upgradeCli(context);
    const postgres = findFlag(context.flags, "postgres");
    return postgres === undefined ? upgradeSchema(context) : movePostgres(context, resolve(postgres));
  },
};

async function upgradeSchema({ flags, config, output }: CommandContext): Promise<number> {
  const { upgradeHome } = await loadBroker();
  const dryRun = isSet(flags, "dryRun");
  const { migrations, backup } = await upgradeHome({ ...config, dryRun, backup: flags["backup"] !== false });
  const ran = formatCount(migrations.length, "migration");
  const names = migrations.map((name) => `\n  ${name}`).join("");
  const done = dryRun ? `${ran} would run: each was tried and rolled back` : `${ran} run`;
  output.show(
    { migrations, backup, dry_run: dryRun },
    migrations.length === 0
      ? `${output.mark.ok} the database is up to date`
      : `${output.mark.ok} ${done}${names}`,
  );
  if (backup !== null) printRollback(output, backup);
  return exitCodes.done;
}

async function movePostgres({ flags, config, output }: CommandContext, postgres: string): Promise<number> {
  if (config.databaseUrl !== undefined)
    throw usageError("--postgres is only for the embedded database, but DATABASE_URL is set.");
  if (isSet(flags, "dryRun") || flags["backup"] === false)
    throw usageError("--postgres cannot be combined with other flags.");
  const { upgradePostgres } = await loadBroker();
  const { from, to, backup } = await upgradePostgres({ home: config.home, postgres });
  output.show(
    { from, to, backup },
    `${output.mark.ok} moved from PostgreSQL ${from} to ${to}; clients will resync`,
  );
  output.note(`  the old data is still in pg/${from} of the Merkle home, the backup is ${backup}`);
  return exitCodes.done;
}

function printRollback(output: CommandContext["output"], backup: string): void {
  output.note(`  backup: ${backup}`);
  output.note(
    "  to go back: install the earlier version, then run merkle restore with this file, with MERKLE_HOME set to an",
  );
  output.note(
    "  empty folder or DATABASE_URL to an empty database; copy audit-key.json from this home to it",
  );
}
