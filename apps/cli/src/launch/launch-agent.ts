import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { LaunchCall } from "../clients/client.js";
import { findProgram } from "../clients/find-program.js";
import { renewClientScript } from "../clients/launcher-script.js";
import { canAsk, createPrompter, type Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { interruptedError } from "../core/cli-error.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";
import { type StoredPeer, storedPeerId } from "../home/stored-peers.js";
import { findWorktree } from "../sessions/find-project.js";
import { refuseBadDevices } from "../settings/approvers.js";
import { readEnvironment } from "../settings/config.js";
import { askPeer, choosePeer, findResumedPeer, toResumedPeer } from "./as-whom.js";
import { type EnteredSession, enterSession } from "./enter-session.js";
import { keepLastAnswers } from "./last-answers.js";
import { type LaunchOptions, readLaunchOptions, requireSessionAndTeam } from "./launch-options.js";
import type { Launching } from "./launching.js";
import { printDefaults, printEntered, printNotice, printResumeCommand } from "./print-launch.js";
import { runBeside } from "./run-beside.js";
import { runProgram } from "./run-program.js";
import { showDryRun } from "./show-dry-run.js";
import { toLaunchCall } from "./to-launch-call.js";
import { watchServer } from "./watch-server.js";
import { askMesh, chooseBroker, useFolder } from "./which-broker.js";
import {
  askSession,
  askWhetherMeant,
  chooseSession,
  getUsualSession,
  type LaunchScene,
  toNamedSession,
} from "./which-session.js";

/** Joins a session as a peer and runs a client as that peer's agent. Resolves with the client's exit code. */
export async function launchAgent(called: CommandContext): Promise<number> {
  const given = await useFolder(called);
  const wanted = readLaunchOptions(given);
  const prompter = toAsker(given, wanted);
  const context = await askMesh(given, wanted, prompter);
  const launching = await prepare(context, wanted, prompter);
  const { broker, session, peer, meshId, folder } = launching;
  printDefaults(launching);
  const chosen = await chooseSession(broker, session, prompter && askWhetherMeant(prompter));
  if (wanted.dryRun) return showDryRun(launching, chosen);

  await printNotice(launching, chosen);
  if (prompter && !(await prompter.yesOrNo({ message: "Start?", default: true }))) throw interruptedError();
  const { home } = context.config;
  const { cwd, concludeBy } = wanted;
  const entered = await enterSession(chosen, { broker, home, meshId, peer, concludeBy, cwd, folder });
  try {
    if (prompter) await keepAnswers(context, entered);
    await printEntered(launching, entered);
    return await runClient(launching, entered);
  } finally {
    await entered.hold.release();
  }
}

/** Creates a prompter. Returns null if no one is at the terminal, or if flags disable questions. */
function toAsker(context: CommandContext, { yes, dryRun }: LaunchOptions): Prompter | null {
  return canAsk(context) && !yes && !dryRun ? createPrompter(context) : null;
}

/**
 * Determines the program, broker, session and peer without changing anything. Runs the cheapest checks first.
 */
async function prepare(
  context: CommandContext,
  wanted: LaunchOptions,
  prompter: Prompter | null,
): Promise<Launching> {
  const { config } = context;
  const resumed = await findResumed(context, wanted);
  if (!resumed && !prompter) requireSessionAndTeam(wanted);
  const program = await findProgram(wanted.client, { named: wanted.clientBin });
  const { broker, meshId } = await chooseBroker(context);
  const folder = await findWorktree(wanted.cwd);
  const scene = { broker, meshId, config, folder };
  const answers = resumed
    ? { session: toNamedSession(resumed), peer: toResumedPeer(resumed, wanted) }
    : await chooseSessionAndPeer(wanted, scene, prompter);
  await refuseBadDevices(wanted.agent.approvers, config.home);
  const launching = { context, wanted, ...answers, program, broker, meshId, folder };
  // Builds the call before joining a session, so that mistakes in the user's arguments are reported first.
  await toLaunchCall(launching, { slug: "", team_id: "", team_name: "", peer_id: null });
  return launching;
}

async function chooseSessionAndPeer(
  wanted: LaunchOptions,
  scene: LaunchScene,
  prompter: Prompter | null,
): Promise<Pick<Launching, "session" | "peer">> {
  if (prompter) {
    const session = wanted.session ?? (await askSession(prompter, scene));
    return { session, peer: await askPeer(wanted, { ...scene, prompter, session }) };
  }
  const session = wanted.session ?? (await getUsualSession(scene));
  return { session, peer: await choosePeer(wanted, scene, session) };
}

/**
 * Returns the stored peer of the conversation that the client will resume, unless flags name a session or
 * peer.
 */
async function findResumed(context: CommandContext, wanted: LaunchOptions): Promise<StoredPeer | undefined> {
  const resumes = wanted.client.resumedBy(wanted.userArgs);
  if (resumes === undefined || wanted.hasTarget) return undefined;
  const { meshId } = await chooseBroker(context);
  const { home } = context.config;
  return findResumedPeer(resumes, { home, meshId, cwd: wanted.cwd, env: readEnvironment().variables });
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
      // The peer's lock includes the client's process: if only this process is killed, the client still acts
      // as the peer.
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
      await printResumeCommand(launching, held);
      return code;
    } finally {
      await beside?.stop();
    }
  } finally {
    await stopWatching();
    await removeFiles();
  }
}

/**
 * Writes the files that a launch needs, readable only by this user because they may contain a secret from the
 * user's settings. Returns a function that removes the files and the folders created for them.
 */
async function writeLaunchFiles(
  home: string,
  { files }: Pick<LaunchCall, "files">,
): Promise<() => Promise<void>> {
  const top = homeFiles.launch(home);
  const remove = async () => {
    for (const { path } of files) await rm(path, { force: true });
    for (const { path } of files) await removeEmptied(dirname(path), top);
  };
  try {
    await explainingHome(home, async () => {
      await mkdir(top, { recursive: true, mode: 0o700 });
      for (const { path, content } of files) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await replaceFile(path, content);
      }
    });
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function removeEmptied(folder: string, top: string): Promise<void> {
  if (folder.length <= top.length) return;
  const names = await readdir(folder).catch(() => undefined);
  if (names !== undefined && names.length > 0) return;
  await rmdir(folder).catch(() => undefined);
  await removeEmptied(dirname(folder), top);
}

/**
 * Variables that Claude Code sets for its child processes. With these variables, a Claude Code process
 * launched from such a child would treat itself as part of the outer session. Variables that users set, such
 * as `CLAUDE_CONFIG_DIR`, are not in this list.
 */
const ofOuterSession: ReadonlySet<string> = new Set([
  "AI_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PROJECT_DIR",
]);

/**
 * Returns the environment for a launched client: the user's environment without the variables of a
 * surrounding agent session.
 */
function toClientEnvironment(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !ofOuterSession.has(name));
  return { ...Object.fromEntries(own), ...added };
}
