import { findBroker } from "../broker/broker-client.js";
import { toReach } from "../broker/reach.js";
import { mergeSettings, toHookSettings, withoutInstalled } from "../clients/claude-hooks.js";
import { findClaude, wakePathsOf } from "../clients/find-claude.js";
import { canAsk, createPrompter, type Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { readEnvironment } from "../config.js";
import { interruptedError } from "../core/cli-error.js";
import { entryFile } from "../core/this-program.js";
import { meetMesh } from "../trust/require-known.js";
import { askWish } from "./ask-wish.js";
import { askWhetherMeant, chooseSession } from "./choose-session.js";
import { toClaudeCall, toClaudeEnvironment, writeLaunchFiles } from "./claude-call.js";
import { type EnteredSession, enterSession } from "./enter-session.js";
import { keepLastAnswers } from "./last-answers.js";
import { readWanted, toWish, toWishFor, type Wanted, type Wish } from "./launch-options.js";
import type { Launching } from "./launching.js";
import { findResumedPeer } from "./resumed-peer.js";
import { runProgram } from "./run-program.js";
import { showDryRun } from "./show-dry-run.js";
import { tellEntered, tellNotice } from "./tell-launch.js";

/** Takes a place in the session, runs Claude Code as its agent, and resolves with the code that it ends with. */
export async function launchAgent(context: CommandContext): Promise<number> {
  const wanted = readWanted(context);
  const prompter = toAsker(context, wanted);
  const launching = await prepare(context, wanted, prompter);
  const { broker, wish, meshId } = launching;
  const chosen = await chooseSession(broker, wish.session, prompter && askWhetherMeant(prompter));
  if (wanted.dryRun) return showDryRun(launching, chosen);

  await tellNotice(launching, chosen);
  if (prompter && !(await prompter.yesOrNo({ message: "Start?", default: true }))) throw interruptedError();
  const entered = await enterSession(chosen, { broker, home: context.config.home, meshId, wish });
  try {
    if (prompter) await keepAnswers(context, entered);
    await tellEntered(launching, entered);
    return await runClaude(launching, entered);
  } finally {
    await entered.hold.release();
  }
}

/** Null where nobody can be asked, or wants to be. */
function toAsker({ flags, signal }: CommandContext, { yes, dryRun }: Wanted): Prompter | null {
  return canAsk(flags) && !yes && !dryRun ? createPrompter(signal) : null;
}

/** Finds out all that is needed without changing anything; what costs least comes first. */
async function prepare(
  context: CommandContext,
  wanted: Wanted,
  prompter: Prompter | null,
): Promise<Launching> {
  const { config, signal } = context;
  const resumed = await wishToGoOn(context, wanted);
  const said = resumed ?? (prompter ? undefined : toWish(wanted));
  const claude = await findClaude({ named: wanted.claudeBin });
  const inTurn = wakePathsOf(claude.version).paths.includes("hooks");
  const hooks = await withoutInstalled(
    toHookSettings([process.execPath, entryFile()], { inTurn }),
    readEnvironment().variables,
  );
  const settings = await mergeSettings(hooks, wanted.claude.settings, process.cwd());
  const broker = await findBroker(config, signal);
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const wish =
    said ?? (prompter ? await askWish({ wanted, prompter, broker, config, meshId }) : toWish(wanted));
  return { context, wanted, wish, claude, broker, meshId, hooks, settings };
}

/** Where the conversation belongs that Claude Code is told to go on with, unless flags say where to. */
async function wishToGoOn({ config, signal }: CommandContext, wanted: Wanted): Promise<Wish | undefined> {
  const { resumes } = wanted.claude;
  if (resumes === undefined || wanted.isAimed) return undefined;
  const broker = await findBroker(config, signal);
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const { home } = config;
  const place = await findResumedPeer(resumes, {
    home,
    meshId,
    cwd: process.cwd(),
    env: readEnvironment().variables,
  });
  return place && toWishFor(place, wanted);
}

async function keepAnswers({ config: { home } }: CommandContext, { held }: EnteredSession): Promise<void> {
  await keepLastAnswers(home, {
    session: held.slug,
    team: held.team_name,
    ...(held.peer_name !== null && { name: held.peer_name }),
    ...(held.role !== null && { role: held.role }),
    ...(held.groups.length > 0 && { groups: held.groups.join(", ") }),
  });
}

async function runClaude(
  { context, wanted, claude, broker, settings }: Launching,
  { held, hold }: EnteredSession,
): Promise<number> {
  const { home } = context.config;
  const agent = { ...wanted.agent, userArgs: wanted.claude.others };
  const call = toClaudeCall({ ...toReach(context.config), url: broker.base, team: held }, agent);
  const removeFiles = await writeLaunchFiles(home, call, settings);
  try {
    context.signal.throwIfAborted();
    return await runProgram({
      path: claude.path,
      args: call.args,
      env: toClaudeEnvironment(readEnvironment().variables, call.env),
      // It acts in the place even when this process is killed and it is not.
      onStart: (pid) => hold.include(pid),
    });
  } finally {
    await removeFiles();
  }
}
