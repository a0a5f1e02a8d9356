import { refuseBadDevices } from "../approvals/devices.js";
import { findBroker } from "../broker/broker-client.js";
import { findProgram } from "../clients/find-program.js";
import { renewClientScript } from "../clients/launcher-script.js";
import { canAsk, createPrompter, type Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { interruptedError } from "../core/cli-error.js";
import { textOf } from "../core/flags.js";
import { storedPeerId } from "../home/stored-peers.js";
import { findWorktree } from "../progress/find-project.js";
import { readConfig, readEnvironment } from "../settings/config.js";
import { refuseUntrusted } from "../settings/foreign-file.js";
import { counted } from "../text/time.js";
import { askWish } from "./ask-wish.js";
import { askWhetherMeant, chooseSession } from "./choose-session.js";
import { toClientEnvironment } from "./client-environment.js";
import { type EnteredSession, enterSession } from "./enter-session.js";
import { keepLastAnswers } from "./last-answers.js";
import { writeLaunchFiles } from "./launch-files.js";
import {
  readFolder,
  readWanted,
  requireSessionAndTeam,
  toWish,
  toWishFor,
  type Wanted,
  type Wish,
} from "./launch-options.js";
import type { Launching } from "./launching.js";
import { findResumedPeer } from "./resumed-peer.js";
import { runBeside } from "./run-beside.js";
import { runProgram } from "./run-program.js";
import { showDryRun } from "./show-dry-run.js";
import { tellDefaults, tellEntered, tellHowToGoOn, tellNotice } from "./tell-launch.js";
import { toLaunchCall } from "./to-launch-call.js";
import { watchServer } from "./watch-server.js";

/** Takes a place in the session, runs a client as its agent, and resolves with the code that it ends with. */
export async function launchAgent(called: CommandContext): Promise<number> {
  const given = await inFolder(called);
  const wanted = readWanted(given);
  const prompter = toAsker(given, wanted);
  const context = await inChosenMesh(given, wanted, prompter);
  const launching = await prepare(context, wanted, prompter);
  const { broker, wish, meshId, folder } = launching;
  tellDefaults(launching);
  const chosen = await chooseSession(broker, wish.session, prompter && askWhetherMeant(prompter));
  if (wanted.dryRun) return showDryRun(launching, chosen);

  await tellNotice(launching, chosen);
  if (prompter && !(await prompter.yesOrNo({ message: "Start?", default: true }))) throw interruptedError();
  const { home } = context.config;
  const { cwd, concludeBy } = wanted;
  const entered = await enterSession(chosen, { broker, home, meshId, wish, concludeBy, cwd, folder });
  try {
    if (prompter) await keepAnswers(context, entered);
    await tellEntered(launching, entered);
    return await runClient(launching, entered);
  } finally {
    await entered.hold.release();
  }
}

/** With `--cwd`, the settings of that folder's project hold, as if the launch had been typed there. */
async function inFolder(context: CommandContext): Promise<CommandContext> {
  const { flags, config, output } = context;
  const named = textOf(flags, "cwd");
  if (named === undefined) return context;
  const env = { ...readEnvironment().variables, MERKLE_HOME: config.home };
  const read = await readConfig({ flags, env, cwd: readFolder(named) });
  for (const notice of read.notices) output.note(notice);
  refuseUntrusted(read);
  return { ...context, config: { ...config, ...read } };
}

/** Asks for the mesh where nothing names one, everybody is let into each, and there are several (MESH-7). */
async function inChosenMesh(
  context: CommandContext,
  wanted: Wanted,
  prompter: Prompter | null,
): Promise<CommandContext> {
  const { config, signal } = context;
  if (!prompter || config.mesh !== undefined || wanted.session !== undefined) return context;
  const broker = await findBroker(config, signal);
  const { auth } = await broker.call("get_app_info", {});
  if (auth !== "open") return context;
  const { meshes } = await broker.call("list_meshes", {});
  if (meshes.length < 2) return context;
  const choices = meshes.map(({ name, sessions, peers_online: online }) => ({
    value: name,
    name: `${name}   ${counted(sessions, "session")}, ${counted(online, "agent")} online`,
  }));
  const mesh = await prompter.oneOf({
    message: "Mesh",
    choices: async (typed) => choices.filter(({ value }) => value.includes(typed)),
    default: "main",
  });
  return { ...context, config: { ...config, mesh } };
}

/** Null where nobody can be asked, or wants to be. */
function toAsker(context: CommandContext, { yes, dryRun }: Wanted): Prompter | null {
  return canAsk(context) && !yes && !dryRun ? createPrompter(context) : null;
}

/** Finds out all that is needed without changing anything; what costs least comes first. */
async function prepare(
  context: CommandContext,
  wanted: Wanted,
  prompter: Prompter | null,
): Promise<Launching> {
  const { config, signal } = context;
  const resumed = await wishToGoOn(context, wanted);
  if (!resumed && !prompter) requireSessionAndTeam(wanted);
  const program = await findProgram(wanted.client, { named: wanted.clientBin });
  const broker = await findBroker(config, signal);
  const meshId = await broker.meetMesh();
  const folder = await findWorktree(wanted.cwd);
  const scene = { broker, config, meshId, folder };
  const wish =
    resumed ?? (prompter ? await askWish({ wanted, prompter, ...scene }) : await toWish(wanted, scene));
  await refuseBadDevices(wanted.agent.approvers, config.home);
  const launching = { context, wanted, wish, program, broker, meshId, folder };
  // Mistakes in the user's arguments are told before anybody joins.
  await toLaunchCall(launching, { slug: "", team_id: "", team_name: "", peer_id: null });
  return launching;
}

/** Where the conversation belongs that the client is told to go on with, unless flags say where to. */
async function wishToGoOn({ config, signal }: CommandContext, wanted: Wanted): Promise<Wish | undefined> {
  const resumed = wanted.client.resumedBy(wanted.userArgs);
  if (resumed === undefined || wanted.isAimed) return undefined;
  const broker = await findBroker(config, signal);
  const meshId = await broker.meetMesh();
  const { home } = config;
  const place = await findResumedPeer(resumed, {
    home,
    meshId,
    cwd: wanted.cwd,
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

async function runClient(launching: Launching, { held, hold }: EnteredSession): Promise<number> {
  const { context, program, wanted } = launching;
  await renewClientScript(context.config.home);
  const { cwd } = wanted;
  const call = await toLaunchCall(launching, held);
  const env = toClientEnvironment(readEnvironment().variables, call.env);
  const removeFiles = await writeLaunchFiles(context.config.home, call);
  let stopWatching = async () => {};
  try {
    const beside = call.beside && (await runBeside(program, call.beside, { env, cwd }));
    try {
      context.signal.throwIfAborted();
      const args = call.beside && !beside?.isThere ? call.beside.argsWithout : call.args;
      // It acts in the place even when this process is killed and it is not.
      const code = await runProgram({
        path: program.path,
        args: [...program.args, ...args],
        env,
        cwd,
        async onStart(pid) {
          await hold.include(pid);
          const { client } = wanted;
          stopWatching = watchServer({ config: context.config, placeId: storedPeerId(held), client, pid });
        },
      });
      await tellHowToGoOn(launching, held);
      return code;
    } finally {
      await beside?.stop();
    }
  } finally {
    await stopWatching();
    await removeFiles();
  }
}
