import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { AcpCall, LaunchCall, PermissionRelay } from "../clients/client.js";
import { findProgram } from "../clients/find-program.js";
import { renewClientScript } from "../clients/launcher-script.js";
import { canAsk, createPrompter, type Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { interruptedError, usageError } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";
import { type StoredPeer, toStoredPeerId } from "../home/stored-peers.js";
import type { OwnWordsPart } from "../identity/own-words.js";
import { findWorktree } from "../sessions/find-project.js";
import { refuseBadDevices } from "../settings/approvers.js";
import { type Config, readEnvironment } from "../settings/config.js";
import { formatCount } from "../text/time.js";
import type { AskPerson } from "./acp/permissions.js";
import { applyFolderSettings, askMesh, chooseBroker } from "./choose-broker.js";
import { askPeer, choosePeer, findResumedPeer, toResumedPeer } from "./choose-peer.js";
import {
  askSession,
  chooseSession,
  createSimilarSessionPrompt,
  getDefaultSession,
  type LaunchScene,
  toNamedSession,
} from "./choose-session.js";
import { type EnteredSession, enterSession } from "./enter-session.js";
import { saveLastAnswers } from "./last-answers.js";
import { type LaunchOptions, readLaunchOptions, requireSessionAndTeam } from "./launch-options.js";
import type { PreparedLaunch } from "./prepared-launch.js";
import { printDefaults, printEntered, printNotice, printResumeCommand } from "./print-launch.js";
import { runCompanion } from "./run-companion.js";
import { type ProgramCall, runProgram } from "./run-program.js";
import { showDryRun } from "./show-dry-run.js";
import { toLaunchCall } from "./to-launch-call.js";
import { watchServer } from "./watch-server.js";

/**
 * Asks a launched agent's person for a permission, on the devices that the launch names. Resolves with undefined if
 * the person does not decide there. Withdraws the request when `ended` is aborted.
 */
export type AskForPermission = (call: {
  readonly config: Config;
  readonly peer: StoredPeer;
  readonly tool: string;
  readonly input: object;
  readonly folder: string;
  readonly devices: readonly string[];
  /** The launch's id, if the tool runs a command in a shell. */
  readonly launchId: string | undefined;
  readonly ended: AbortSignal;
}) => Promise<{ readonly isAllowed: boolean; readonly words: string | null } | undefined>;

/** The parts that features add to a launch. */
interface FeatureParts {
  readonly askForPermission: AskForPermission;
  readonly loadOwnWords: () => Promise<OwnWordsPart | undefined>;
  readonly askAtLaunch: (
    prompter: Prompter,
    launch: { readonly config: Config; readonly folder: string },
  ) => Promise<void>;
}

/** Joins a session as a peer and runs a client as that peer's agent. Resolves with the client's exit code. */
export async function launchAgent(callContext: CommandContext, features: FeatureParts): Promise<number> {
  const folderContext = await applyFolderSettings(callContext);
  const options = readLaunchOptions(folderContext);
  const prompter = findPrompter(folderContext, options);
  const context = await askMesh(folderContext, options, prompter);
  const launch = await prepareLaunch(context, options, prompter);
  const { broker, session, peer, meshId, folder } = launch;
  printDefaults(launch);
  const chosen = await chooseSession(broker, session, prompter && createSimilarSessionPrompt(prompter));
  if (options.isDryRun) return showDryRun(launch, chosen);

  await printNotice(launch, chosen);
  if (prompter) await features.askAtLaunch(prompter, { config: context.config, folder });
  if (prompter && !(await prompter.confirm({ message: "Start?", default: true }))) throw interruptedError();
  const { home } = context.config;
  const { cwd, wake, concludeBy } = options;
  const entered = await enterSession(chosen, { broker, home, meshId, peer, wake, concludeBy, cwd, folder });
  try {
    if (prompter) await saveAnswers(context, entered);
    await printEntered(launch, entered);
    await bindOwnWords(launch, entered, features);
    return await runClient(launch, entered, features);
  } finally {
    await entered.lock.release();
  }
}

/** Creates a prompter. Returns null if no one is at the terminal, or if flags disable questions. */
function findPrompter(
  context: CommandContext,
  { shouldSkipPrompts, isDryRun }: LaunchOptions,
): Prompter | null {
  return canAsk(context) && !shouldSkipPrompts && !isDryRun ? createPrompter(context) : null;
}

/**
 * Determines the program, broker, session and peer without changing anything. Runs the cheapest checks first.
 */
async function prepareLaunch(
  context: CommandContext,
  options: LaunchOptions,
  prompter: Prompter | null,
): Promise<PreparedLaunch> {
  const { config } = context;
  const resumed = await findPeerToResume(context, options);
  if (!resumed && !prompter) requireSessionAndTeam(options);
  const program = await findProgram(options.client, { named: options.clientBin });
  const { broker, meshId } = await chooseBroker(context);
  const folder = await findWorktree(options.cwd);
  const launchContext = { broker, meshId, config, folder };
  const answers = resumed
    ? { session: toNamedSession(resumed), peer: toResumedPeer(resumed, options) }
    : await chooseSessionAndPeer(options, launchContext, prompter);
  await refuseBadDevices(options.agent.approvers, config.home);
  const launch = { context, options, ...answers, program, broker, meshId, folder };
  // Builds the call before joining a session, so that mistakes in the user's arguments are reported first.
  await toLaunchCall(launch, { slug: "", team_id: "", team_name: "", peer_id: null, peer_name: null });
  return launch;
}

async function chooseSessionAndPeer(
  options: LaunchOptions,
  launchContext: LaunchScene,
  prompter: Prompter | null,
): Promise<Pick<PreparedLaunch, "session" | "peer">> {
  if (prompter) {
    const session = options.session ?? (await askSession(prompter, launchContext));
    return { session, peer: await askPeer(options, { ...launchContext, prompter, session }) };
  }
  const session = options.session ?? (await getDefaultSession(launchContext));
  return { session, peer: await choosePeer(options, launchContext, session) };
}

/**
 * Returns the stored peer of the conversation that the client will resume, unless flags name a session or
 * peer.
 */
async function findPeerToResume(
  context: CommandContext,
  options: LaunchOptions,
): Promise<StoredPeer | undefined> {
  const target = options.client.findResumeTarget(options.userArgs);
  if (target === undefined || options.hasTarget) return undefined;
  const { meshId } = await chooseBroker(context);
  const { home } = context.config;
  return findResumedPeer(target, { home, meshId, cwd: options.cwd, env: readEnvironment().variables });
}

async function saveAnswers(
  { config: { home } }: CommandContext,
  { storedPeer }: EnteredSession,
): Promise<void> {
  await saveLastAnswers(home, {
    session: storedPeer.slug,
    team: storedPeer.team_name,
    ...(storedPeer.peer_name !== null && { name: storedPeer.peer_name }),
    ...(storedPeer.role !== null && { role: storedPeer.role }),
    ...(storedPeer.groups.length > 0 && { groups: storedPeer.groups.join(", ") }),
  });
}

/** Binds the launch to the person's devices, or ends what an earlier launch of the peer was bound to (OWN-1). */
async function bindOwnWords(
  { context: { config, output }, options, broker }: PreparedLaunch,
  { storedPeer }: EnteredSession,
  { loadOwnWords }: FeatureParts,
): Promise<void> {
  const ownWords = await loadOwnWords();
  if (!options.agent.hasOwnWords) return ownWords?.unbind(storedPeer, config.home, broker);
  if (!ownWords) throw usageError("This build of merkle cannot sign, so --own-words is not available.");
  const count = await ownWords.bind(storedPeer, config);
  const devices = count === 0 ? "" : ` and from ${formatCount(count, "device")} of yours`;
  output.note(`  Your own words:  what you post to it from this home${devices}`);
}

async function runClient(
  launch: PreparedLaunch,
  { storedPeer, lock }: EnteredSession,
  { askForPermission }: Pick<FeatureParts, "askForPermission">,
): Promise<number> {
  const { context, program, options } = launch;
  await renewClientScript(context.config.home);
  const { cwd } = options;
  const call = await toLaunchCall(launch, storedPeer);
  // A person may allow a command again while this launch runs. The id does not outlive the launch (APPROVE-15).
  const launchId = randomBytes(32).toString("hex");
  const env = toClientEnvironment(readEnvironment().variables, {
    ...call.env,
    ...(options.agent.approvers.length > 0 && { MERKLE_LAUNCH: launchId }),
  });
  const removeFiles = await writeLaunchFiles(context.config.home, call);
  let stopWatching = async () => {};
  const ended = new AbortController();
  const askPerson = createAskPerson(launch, { storedPeer, askForPermission, launchId });
  try {
    const companion = call.companion && (await runCompanion(program, call.companion, { env, cwd }));
    try {
      context.signal.throwIfAborted();
      const args = call.companion && !companion?.isReady ? call.companion.fallbackArgs : call.args;
      // The peer's lock includes the client's process: if only this process is killed, the client still acts
      // as the peer.
      const programCall: ProgramCall = {
        path: program.path,
        args: [...program.args, ...args],
        env,
        cwd,
        async onStart(pid) {
          await lock.include(pid);
          const { client } = options;
          stopWatching = watchServer({
            config: context.config,
            storedPeerId: toStoredPeerId(storedPeer),
            client,
            pid,
          });
        },
      };
      if (call.companion && companion?.isReady && askPerson)
        options.client
          .relayPermissions?.({ socket: call.companion.socket, ask: askPerson, ended: ended.signal })
          .catch(() => undefined);
      const code = call.acp
        ? await driveAgent(launch, {
            ...{ programCall, acp: call.acp, askPerson },
            onEnding: () => stopWatching(),
          })
        : await runProgram(programCall);
      await printResumeCommand(launch, storedPeer);
      return code;
    } finally {
      ended.abort();
      await companion?.stop();
    }
  } finally {
    await stopWatching();
    await removeFiles();
  }
}

/** Returns how to ask the agent's person for a permission, or undefined if the launch names no devices (APPROVE-1). */
function createAskPerson(
  { context: { config }, options }: PreparedLaunch,
  {
    storedPeer: peer,
    askForPermission,
    launchId,
  }: Pick<FeatureParts, "askForPermission"> &
    Pick<EnteredSession, "storedPeer"> & { readonly launchId: string },
): PermissionRelay["ask"] | undefined {
  const { approvers: devices } = options.agent;
  if (devices.length === 0) return undefined;
  return ({ runsCommand, folder = options.cwd, ...request }, ended) =>
    askForPermission({
      ...{ config, peer, ...request, folder, devices, ended },
      launchId: runsCommand ? launchId : undefined,
    });
}

interface DrivenAgent {
  readonly programCall: ProgramCall;
  readonly acp: AcpCall;
  readonly askPerson: PermissionRelay["ask"] | undefined;
  readonly onEnding: () => Promise<void>;
}

/** Runs an ACP agent. Its code is loaded on demand, because no other launch needs it. */
async function driveAgent(
  { context: { io }, options }: PreparedLaunch,
  { programCall, acp, onEnding, askPerson }: DrivenAgent,
): Promise<number> {
  const { runAcpAgent } = await import("./acp/run-acp-agent.js");
  const { cwd: folder } = options;
  const askHere: AskPerson | undefined =
    askPerson && ((request, ended) => askPerson({ ...request, folder }, ended));
  return runAcpAgent({ ...programCall, ...{ acp, io, onEnding, askPerson: askHere } });
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
    for (const { path } of files) await removeEmptyFolders(dirname(path), top);
  };
  try {
    await explainHomeErrors(home, async () => {
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

async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  if (folder.length <= top.length) return;
  const names = await readdir(folder).catch(() => undefined);
  if (names !== undefined && names.length > 0) return;
  await rmdir(folder).catch(() => undefined);
  await removeEmptyFolders(dirname(folder), top);
}

/**
 * Variables that Claude Code sets for its child processes. With these variables, a Claude Code process
 * launched from such a child would treat itself as part of the outer session. Variables that users set, such
 * as `CLAUDE_CONFIG_DIR`, are not in this list.
 */
const outerSessionVariables: ReadonlySet<string> = new Set([
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
  const own = Object.entries(env).filter(([name]) => !outerSessionVariables.has(name));
  return { ...Object.fromEntries(own), ...added };
}
