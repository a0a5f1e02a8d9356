import type { CommandContext } from "../command/command.js";
import { CliError } from "../core/cli-error.js";
import { findClaude } from "../launch/find-claude.js";
import { wakePathsOf } from "../launch/wake-paths.js";
import { carryOut } from "./carry-out.js";
import { claudeFiles } from "./claude-files.js";
import { readInstalled, writeInstalled } from "./install-record.js";
import { type FilePlan, planInstall, planUninstall } from "./plan-file.js";
import { serverProgram } from "./server-program.js";
import { readIfThere } from "./write-plan.js";

/** Makes Merkle part of every Claude Code session of this user, after showing what that changes (INSTALL-1). */
export async function installForClaude(context: CommandContext): Promise<number> {
  const { config } = context;
  const installed = await readInstalled(config.home);
  const inTurn = await hasHooksInTurn(context);
  const files = claudeFiles(serverProgram(config), { env: process.env, inTurn });
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
