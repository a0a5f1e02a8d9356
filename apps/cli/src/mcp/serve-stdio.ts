import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import { prepareTls } from "../broker/reach.js";
import { type ConfiguredPeer, formatInstructions } from "../clients/introduction.js";
import { writeServerPidFile } from "../clients/serving.js";
import type { CommandContext } from "../command/command.js";
import { isLoopback } from "../core/address.js";
import { exitCodes } from "../core/cli-error.js";
import { isPosix } from "../core/platform.js";
import { readVersion } from "../core/this-program.js";
import { waitForAbort } from "../core/wait-for-abort.js";
import type { CheckConcluded } from "../feed/tail/run-tail.js";
import { findStoredPeer } from "../home/stored-peers.js";
import { readEnvironment } from "../settings/config.js";
import type { CreateExtension } from "./extension.js";
import { greetFirst, type ServerIntroduction } from "./greet-first.js";
import { type McpOptions, readMcpOptions } from "./options.js";
import type { ClientInfo } from "./self-description.js";
import type { ServedTools, ToolClient } from "./served-tools.js";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.js";
import type { ToolServer } from "./tool-server.js";
import { channelCapability } from "./waking/wake-paths.js";

/** The parts that features add to the server. */
interface FeatureParts {
  readonly loadExtensions: () => Promise<readonly CreateExtension[]>;
  readonly checkConcluded: CheckConcluded;
}

/**
 * How long the server may take to exit. Clients kill a server that takes half a second. Exiting usually takes
 * a few milliseconds.
 */
const endMsMax = 350;

/**
 * Serves MCP on stdin and stdout. Ends only when the client's pipe closes, the client's process exits, or a
 * signal arrives.
 *
 * Answers the handshake immediately. Slow work, such as connecting to the broker and loading the SDK, starts
 * only after that (STDIO-1).
 */
export async function serveStdio(context: CommandContext, features: FeatureParts): Promise<number> {
  const { config, flags, io, output, signal } = context;
  const options = readMcpOptions(flags);
  await refuseClearText(context);
  // Record that this server is running before reading anything about messages that another server delivered
  // to the peer.
  const pidFile = options.as === undefined ? undefined : writeServerPidFile(config.home, options.as);
  const log = (text: string) => {
    if (output.verbose) io.stderr.write(`merkle mcp: ${text}\n`);
  };
  const tools = createLazyToolServer(async ({ getInfo, channel, isStructured }) => {
    if (readEnvironment().variables["MERKLE_UNLESS_LAUNCHED"] === "1") return noTools;
    const { checkConcluded, loadExtensions } = features;
    const [{ openToolServer }, extensions] = await Promise.all([
      import("./tool-server.js"),
      loadExtensions(),
    ]);
    const claudeSessionId = readEnvironment().claudeSessionId;
    return openToolServer({
      ...{
        config,
        options,
        claudeSessionId,
        getClientInfo: getInfo,
        channel,
        isStructured,
        extensions,
        checkConcluded,
        log,
      },
      isRestarted: pidFile?.isRestarted === true,
      onHeard: () => pidFile?.recordContact() === true,
      onUnreached: () => pidFile?.giveUp(),
    });
  });
  const requests = createStdioTransport(io.stdin, io.stdout);
  const introduction = createIntroduction(await findKnownPeer(options, config.home), options);
  // Channels exist only in protocol revisions with sessions, so the sessionless revision is not offered with
  // channels.
  const transport = greetFirst(requests, introduction, options.hasChannel ? undefined : introduceStateless);

  /**
   * Returns the introduction for the sessionless revision. Clients that can be woken in another way get no
   * resources, because resources add two tools to their model's context.
   */
  async function introduceStateless({ name }: ClientInfo): Promise<ServerIntroduction> {
    const { findServedClient } = await import("../clients/clients.js");
    if (findServedClient(name, readEnvironment().variables)) return introduction;
    return {
      ...introduction,
      capabilities: { ...introduction.capabilities, resources: { subscribe: true } },
    };
  }

  async function serve(): Promise<void> {
    const { client } = await transport.awaitFirstMessage();
    if (client) {
      const { connectStateless } = await import("./connect-stateless.js");
      const introduced = await introduceStateless(client);
      connectStateless(transport, { tools, introduction: introduced, requests, client });
    } else {
      const { connectServer } = await import("./connect-server.js");
      await connectServer(transport, { tools, introduction, requests });
    }
    await requests.ended;
  }

  let stopWatching = () => {};
  const orphaned = new Promise<void>((resolve) => {
    stopWatching = watchParent(requests, resolve);
  });
  try {
    await Promise.race([serve(), requests.ended, orphaned, waitForAbort(signal)]);
    await Promise.race([tools.close(), delay(endMsMax)]);
  } finally {
    stopWatching();
    pidFile?.remove();
    await transport.close();
  }
  // Exit without waiting for open handles, such as a socket whose other end does not answer.
  setTimeout(() => process.exit(exitCodes.done), 0).unref();
  return exitCodes.done;
}

/** Refuses an unencrypted remote address before anything is served. */
async function refuseClearText({ config }: CommandContext): Promise<void> {
  const { base } = config.broker;
  if (base.startsWith("https:") || isLoopback(new URL(base).hostname)) return;
  await prepareTls(base, config);
}

function createIntroduction(
  peer: ConfiguredPeer | undefined,
  { hasChannel }: McpOptions,
): ServerIntroduction {
  return {
    serverInfo: { name: "merkle", title: "Merkle", version: readVersion() },
    capabilities: { tools: {}, ...(hasChannel && { experimental: channelCapability }) },
    instructions: formatInstructions(peer),
  };
}

/**
 * What an installed server offers in a client that `merkle launch` started and gave a server of its own (LAUNCH-26). Two
 * servers would show the model every tool twice, one set of which acts as no peer.
 */
const noTools: ToolServer = {
  tools: [],
  countUnread: () => [],
  call: ({ name }) =>
    Promise.reject(new MerkleError("not_found", `There is no tool ${JSON.stringify(name)}.`)),
  close: async () => undefined,
};

interface LazyToolServer extends ServedTools {
  close(): Promise<void>;
}

function createLazyToolServer(load: (client: ToolClient) => Promise<ToolServer>): LazyToolServer {
  let opening: Promise<ToolServer> | undefined;
  return {
    open(client) {
      opening ??= load(client);
      return opening;
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

/**
 * Returns the team and peer that the model will act as. Does not call the broker, which may not be running.
 */
async function findKnownPeer({ as, join }: McpOptions, home: string): Promise<ConfiguredPeer | undefined> {
  if (as === undefined) return join && { ...join, peer: null };
  const held = await findStoredPeer(home, as);
  return held && { session: held.slug, team: held.team_name, peer: held.peer_name };
}

const checkIntervalMs = 2_000;
const answerWithinMs = 5_000;

/**
 * Watches the parent process. stdin normally ends when the client exits, but stays open while another
 * process, such as the client's child, has the pipe open.
 *
 * After the parent has exited, `gone` is called as soon as a ping stays unanswered. A ping is needed because
 * the client may be a different process from the parent.
 *
 * @returns a function that stops watching
 */
function watchParent({ ping }: Pick<StdioTransport, "ping">, onGone: () => void): () => void {
  const parent = process.ppid;
  let isAsking = false;
  const timer = setInterval(() => {
    if (isAsking || isRunning(parent)) return;
    isAsking = true;
    void ping(answerWithinMs).then((isAnswered) => {
      isAsking = false;
      if (!isAnswered) onGone();
    });
  }, checkIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function isRunning(parent: number): boolean {
  // An orphan gets a new parent id, except on Windows, which keeps the old one.
  if (process.ppid !== parent) return false;
  if (isPosix()) return true;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return Object(error).code !== "ESRCH";
  }
}
