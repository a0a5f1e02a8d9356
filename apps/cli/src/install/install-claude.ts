import { findClaude, wakePathsOf } from "../clients/find-claude.js";
import { serverProgram } from "../clients/server-program.js";
import { askYesOrNo, canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { isSet } from "../command/flags.js";
import { readEnvironment } from "../config.js";
import { CliError, exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import { claudeFiles } from "./claude-files.js";
import { readInstalled, writeInstalled } from "./install-record.js";
import { type FilePlan, planInstall, planUninstall, readIfThere, writePlan } from "./plan-file.js";
import { describePlans, toJson } from "./show-plans.js";

/** Makes Merkle part of every Claude Code session of this user, after showing what that changes (INSTALL-1). */
export async function installForClaude(context: CommandContext): Promise<number> {
  const { config } = context;
  const installed = await readInstalled(config.home);
  const inTurn = await hasHooksInTurn(context);
  const files = claudeFiles(serverProgram(config), { env: readEnvironment().variables, inTurn });
  const plans: FilePlan[] = [];
  for (const file of files) {
    const earlier = installed.find((each) => each.path === file.path);
    plans.push(planInstall(file, await readIfThere(file.path), earlier));
  }
  const others = installed.filter((each) => files.every((file) => file.path !== each.path));
  const records = plans.flatMap((each) => each.record ?? []);
  return carryOut(context, {
    command: "merkle install",
    plans,
    done: "Claude Code has merkle in every new session.   undo: merkle uninstall",
    nothing: "Claude Code has merkle already; nothing to change.",
    before: () => writeInstalled(config.home, [...others, ...records]),
    after: async () => undefined,
  });
}

/** Takes all of it away again, and nothing else (INSTALL-3). */
export async function uninstallFromClaude(context: CommandContext): Promise<number> {
  const { home } = context.config;
  const plans: FilePlan[] = [];
  for (const file of await readInstalled(home)) plans.push(planUninstall(file, await readIfThere(file.path)));
  return carryOut(context, {
    command: "merkle uninstall",
    plans,
    done: "merkle is taken out of Claude Code; sessions that run keep it to their end.",
    nothing: "merkle install has changed nothing from this home that is still there.",
    before: async () => undefined,
    after: () => writeInstalled(home, []),
  });
}

/** Where no Claude Code is found yet, it will be a new one. */
async function hasHooksInTurn({ output }: CommandContext): Promise<boolean> {
  try {
    const { paths, advice } = wakePathsOf((await findClaude()).version);
    if (advice !== undefined) output.note(`${output.mark.warn} ${advice}`);
    return paths.includes("hooks");
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.note(`${output.mark.warn} ${error.message}`);
    return true;
  }
}

interface Undertaking {
  /** `merkle install`, as it is typed. */
  readonly command: string;
  readonly plans: readonly FilePlan[];
  /** The sentences for when it is done, and when there is nothing to do. */
  readonly done: string;
  readonly nothing: string;
  /** Called around the writing: what is remembered must be there before, and nothing forgotten that is not undone. */
  readonly before: () => Promise<void>;
  readonly after: () => Promise<void>;
}

/** Shows what would change, asks, and changes it. */
async function carryOut(context: CommandContext, undertaking: Undertaking): Promise<number> {
  const { flags, output, signal } = context;
  const { plans, command } = undertaking;
  const isChange = plans.some((each) => each.current !== each.next);
  const described = output.diff(describePlans(plans));
  if (!isChange || isSet(flags, "dryRun")) {
    output.show({ changed: false, files: toJson(plans) }, isChange ? described : undertaking.nothing);
    return exitCodes.done;
  }
  if (!isSet(flags, "yes")) {
    if (!canAsk(flags))
      throw usageError(`${command} needs -y where nobody can be asked.`, `${command} --dry-run`);
    output.note(described);
    if (!(await askYesOrNo("Change these files?", signal))) throw interruptedError();
  }
  await undertaking.before();
  for (const plan of plans) await writePlan(plan);
  await undertaking.after();
  output.show({ changed: true, files: toJson(plans) }, `${output.mark.ok} ${undertaking.done}`);
  return exitCodes.done;
}
