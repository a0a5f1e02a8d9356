import type { Toolset } from "@merkle/wire";
import type { Client } from "../clients/client.js";
import { findProgram } from "../clients/find-program.js";
import { removeClientScript, writeClientScript } from "../clients/launcher-script.js";
import { createServerProgram } from "../clients/server-program.js";
import { askYesOrNo, canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { readToolsetNames } from "../mcp/options.js";
import { isInstalledAnywhere, readInstalled, writeInstalled } from "./install-record.js";
import {
  type FilePlan,
  type PlannedChange,
  planInstall,
  planUninstall,
  readIfExists,
  writePlans,
} from "./plan-file.js";

/** Adds Merkle to every session of the user's client, after showing the changes (INSTALL-1, VENDOR-2). */
export async function installFor(client: Client, context: CommandContext): Promise<number> {
  const { config, io, output } = context;
  const { home } = config;
  const installed = await readInstalled(home, client.name);
  const environment = { env: io.env, version: await findVersion(client, context) };
  const files = client.configure(createServerProgram(config, readToolsFlag(context)), environment);
  const plans: FilePlan[] = [];
  for (const file of files) {
    const earlier = installed.find((each) => each.path === file.path);
    plans.push(planInstall(file, await readIfExists(file.path), earlier));
  }
  const others = installed.filter((each) => files.every((file) => file.path !== each.path));
  const records = plans.flatMap((each) => each.record ?? []);
  const undo = `merkle uninstall${toClientFlag(client)}`;
  return applyChange(context, {
    command: `merkle install${toClientFlag(client)}`,
    plans,
    doneText: `${client.label} has merkle in every new session.   undo: ${undo}`,
    unchangedText: `${client.label} already has merkle; nothing to change.`,
    async prepare() {
      await writeClientScript(home);
      await writeInstalled(home, client.name, [...others, ...records]);
    },
    undo: () => writeInstalled(home, client.name, installed),
    async finish() {
      if (client.hint !== undefined) output.note(`${output.mark.warn} ${client.hint}`);
    },
  });
}

/** Reads the `--tools` flag. @throws CliError `usage` for an unknown toolset */
export function readToolsFlag({ flags }: CommandContext): readonly Toolset[] {
  return readToolsetNames(findFlag(flags, "tools"));
}

/** Removes what `merkle install` added to a client's files, and nothing else (INSTALL-3). */
export async function uninstallFrom(client: Client, context: CommandContext): Promise<number> {
  const { home } = context.config;
  const plans: FilePlan[] = [];
  for (const file of await readInstalled(home, client.name))
    plans.push(planUninstall(file, await readIfExists(file.path)));
  return applyChange(context, {
    command: `merkle uninstall${toClientFlag(client)}`,
    plans,
    doneText: `merkle is removed from ${client.label}; running sessions keep it until they end.`,
    unchangedText:
      "There is nothing to undo: this home has no record of changes by merkle install to this client's files.",
    prepare: async () => undefined,
    undo: async () => undefined,
    async finish() {
      await writeInstalled(home, client.name, []);
      if (!(await isInstalledAnywhere(home))) await removeClientScript(home);
    },
  });
}

export function toClientFlag({ name }: Client): string {
  return name === "claude" ? "" : ` --client ${name}`;
}

/**
 * Returns the client's version. Undefined if the client is not installed yet; the user will then install a
 * recent version.
 */
async function findVersion(client: Client, { io, output }: CommandContext): Promise<string | undefined> {
  try {
    const { version } = await findProgram(client, io);
    const { advice } = client.getWakeAbility(version);
    if (advice !== undefined) output.note(`${output.mark.warn} ${advice}`);
    return version;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.note(`${output.mark.warn} ${error.message}`);
    return undefined;
  }
}

interface FileChange {
  /** The command that the user typed, such as `merkle install`. */
  readonly command: string;
  readonly plans: readonly FilePlan[];
  /** The messages to show after a change, or when there is nothing to change. */
  readonly doneText: string;
  readonly unchangedText: string;
  /** Called before any file is written. Must store the record, so that every change can be undone. */
  readonly prepare: () => Promise<void>;
  /** Called if writing failed and no file was changed. */
  readonly undo: () => Promise<void>;
  readonly finish: () => Promise<void>;
}

/** Shows the changes, asks for confirmation, and makes the changes. */
async function applyChange(context: CommandContext, change: FileChange): Promise<number> {
  const { flags, output } = context;
  const { plans, command } = change;
  const hasChanges = plans.some((each) => each.current !== each.next);
  const diff = output.diff(describePlans(plans));
  if (!hasChanges || isSet(flags, "dryRun")) {
    output.show({ changed: false, files: toJson(plans) }, hasChanges ? diff : change.unchangedText);
    return exitCodes.done;
  }
  if (!isSet(flags, "yes")) {
    if (!canAsk(context))
      throw usageError(`${command} needs -y when there is no terminal.`, `${command} --dry-run`);
    output.note(diff);
    if (!(await askYesOrNo("Change these files?", context))) throw interruptedError();
  }
  await change.prepare();
  try {
    await writePlans(plans);
  } catch (error) {
    await change.undo();
    if (isSet(flags, "yes")) output.note(diff);
    throw error;
  }
  await change.finish();
  output.show({ changed: true, files: toJson(plans) }, `${output.mark.ok} ${change.doneText}`);
  return exitCodes.done;
}

/**
 * Formats the changes as one diff per file. Omits context lines, which belong to the user and may contain
 * secrets.
 */
function describePlans(plans: readonly FilePlan[]): string {
  return plans
    .filter((each) => each.current !== each.next)
    .map(({ path, current, next, changes }) =>
      [
        `--- ${current === null ? "/dev/null" : path}`,
        `+++ ${next === null ? "/dev/null" : path}`,
        ...changes.map(describeChange),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Returns the changes for programs: each file with its action. */
function toJson(plans: readonly FilePlan[]) {
  return plans.map((plan) => ({
    path: plan.path,
    action: toAction(plan),
    parts: plan.changes.map((each) => each.path.join(".")),
  }));
}

function toAction({ current, next }: FilePlan): "none" | "create" | "remove" | "change" {
  if (current === next) return "none";
  if (current === null) return "create";
  return next === null ? "remove" : "change";
}

function describeChange({ path, edit, foreign }: PlannedChange): string {
  const hidden = "(your earlier value, not shown)";
  const lines = [
    ...prefixLines("-", foreign === "removed" ? hidden : edit.removed),
    ...prefixLines("+", foreign === "added" ? hidden : edit.added),
  ];
  return [`@@ ${path.join(".")} @@`, ...lines].join("\n");
}

function prefixLines(sign: string, text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => sign + line);
}
