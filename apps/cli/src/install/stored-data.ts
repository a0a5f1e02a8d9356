import { readdir, realpath, rmdir } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { findRunningBroker, type RunningBroker } from "../broker/run-file.js";
import { askYesOrNo, canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { loadBroker } from "../core/broker-code.js";
import { CliError, exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";

/** Lists everything that Merkle stored for this home, asks for confirmation, and removes it (INSTALL-11). */
export async function removeStoredData(context: CommandContext): Promise<number> {
  const { config, flags, output } = context;
  const home = await realpath(config.home).catch(() => null);
  if (home === null) {
    output.show({ removed: [], user: null, kept: [] }, `Merkle has stored nothing in ${config.home}.`);
    return exitCodes.done;
  }
  if (home === (await realpath(homedir()).catch(() => null)) || dirname(home) === home)
    throw containsMore(home);
  const running = await findRunningBroker(home);
  if (running) throw stillRuns(running, home);
  const { findOutsideData, removeHomeData } = await loadBroker();
  const { stored, kept } = await explainHomeErrors(home, () => listHome(home));
  const outside = await findOutsideData(home);
  const removed = [...stored, ...outside.folders];
  const facts = { removed, user: outside.user ?? null, kept };
  if (removed.length === 0 && outside.user === undefined) {
    output.show(facts, `Merkle has stored nothing in ${home}.`);
    return exitCodes.done;
  }
  output.note("Stored by Merkle for this home:");
  for (const path of removed) output.note(`  ${path}`);
  if (outside.user !== undefined) output.note(`  the system user ${outside.user}`);
  if (config.databaseUrl !== undefined) output.note("The database at DATABASE_URL is kept.");
  for (const line of describeKept(kept)) output.note(line);
  if (isSet(flags, "dryRun")) {
    output.show({ ...facts, dry_run: true }, "Nothing was removed.");
    return exitCodes.done;
  }
  if (!isSet(flags, "yes")) {
    if (!canAsk(context)) throw usageError("merkle uninstall --data needs -y when there is no terminal.");
    if (!(await askYesOrNo("Remove all of this? It cannot be undone.", context))) throw interruptedError();
  }
  await explainHomeErrors(home, () => removeHomeData(home, stored, outside));
  await removeIfEmpty(join(home, "logs"));
  await removeIfEmpty(home);
  output.show(facts, `${output.mark.ok} removed what Merkle stored for ${home}`);
  return exitCodes.done;
}

/** The names of everything that Merkle stores in a home, except files that other commands remove. */
const names = new Set([
  ...["alert-key", "audit-key.json", "backups", "home-key", "imports", "pg", "run", "start.json"],
  ...Object.values(homeFiles).map((file) => file("").split(/[/\\]/)[0] ?? ""),
]);
const logs = /^(?:broker|up|postgres)\.log(?:\.\d+)?$/;

/**
 * Lists which paths to remove and which to keep: the program, the records of `merkle install`, and files that
 * Merkle did not write.
 */
async function listHome(home: string): Promise<{ stored: string[]; kept: string[] }> {
  const stored: string[] = [];
  const kept: string[] = [];
  for (const name of (await readdir(home)).sort()) {
    const path = join(home, name);
    if (name === "logs") {
      for (const log of await readdir(path)) (logs.test(log) ? stored : kept).push(join(path, log));
    } else if (name === "install") {
      const hasRecords = (await readdir(path)).some((each) => each.endsWith(".json"));
      (hasRecords ? kept : stored).push(path);
    } else if (name !== "broker.lock") {
      (names.has(name) && name !== "cli" ? stored : kept).push(path);
    }
  }
  return { stored, kept };
}

function describeKept(kept: readonly string[]): string[] {
  return kept.map((path) => {
    if (basename(path) === "cli") return `Kept: ${path}. merkle uninstall --cli removes it.`;
    if (basename(path) === "install")
      return `Kept: ${path}. merkle uninstall --client needs it to undo an install.`;
    return `Kept: ${path}. Merkle did not write it.`;
  });
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {
    // The folder is not empty or does not exist.
  });
}

/**
 * Returns the error for a home that contains other programs' files, which may have the same names as
 * Merkle's.
 */
function containsMore(home: string): CliError {
  return new CliError(
    "refused",
    `The Merkle home is ${home}, which contains more than Merkle's files. Nothing was removed.`,
    {
      exitCode: exitCodes.refused,
      next: [`remove Merkle's files there by hand: ${[...names].sort().join(", ")}`],
    },
  );
}

function stillRuns({ pid, host }: RunningBroker, home: string): CliError {
  const where = host === hostname() ? "" : ` on ${host}`;
  return new CliError(
    "conflict",
    `The broker of ${home} is running: process ${pid}${where}. Nothing was removed.`,
    { exitCode: exitCodes.conflict, next: [`merkle down${where}`] },
  );
}
