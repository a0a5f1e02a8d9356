import { setTimeout as delay } from "node:timers/promises";
import type { CommandContext } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { isLoopback } from "../loopback.js";
import { readVersion } from "../version.js";
import type { DeskClient, ServedDesk } from "./connect-server.js";
import { greetFirst, type Introduction } from "./greet-first.js";
import { type KnownPlace, writeInstructions } from "./instructions.js";
import { type McpOptions, readMcpOptions } from "./options.js";
import { createStdioTransport } from "./stdio-transport.js";
import type { ToolDesk } from "./tool-server.js";
import { channelCapability } from "./waking/channel.js";

/** Clients kill a server that takes half a second to end. Mostly it takes a few milliseconds. */
const endMsMax = 350;

/**
 * Speaks MCP on stdin and stdout until the client has gone or a signal comes, and never ends for any other reason. It
 * greets at once: everything that takes time, the broker and the SDK included, is only begun then (STDIO-1).
 */
export async function serveStdio(context: CommandContext): Promise<number> {
  const { config, flags, output, signal } = context;
  const options = readMcpOptions(flags);
  await refuseClearText(context);
  const log = (text: string) => {
    if (output.verbose) process.stderr.write(`merkle mcp: ${text}\n`);
  };
  const desk = createLazyDesk(async ({ info, sendChannel }) => {
    const { openToolDesk } = await import("./tool-server.js");
    const { findInboxSocket } = await import("./waking/inbox-socket.js");
    const claudeSessionId = process.env["CLAUDE_CODE_SESSION_ID"] || null;
    const inbox = findInboxSocket(process.env);
    return openToolDesk({ config, options, claudeSessionId, inbox, client: info, sendChannel, log });
  });
  const requests = createStdioTransport(process.stdin, process.stdout);
  const introduction = introduce(await findPlace(options, config.home), options);
  const transport = greetFirst(requests, introduction);

  async function serve(): Promise<void> {
    await transport.meet();
    const { connectServer } = await import("./connect-server.js");
    await connectServer(transport, { desk, introduction, requests });
    await requests.ended;
  }

  try {
    await Promise.race([serve(), requests.ended, aborted(signal)]);
    await Promise.race([desk.close(), delay(endMsMax)]);
  } finally {
    await transport.close();
  }
  // Whatever still lingers, a socket that nobody answers on perhaps, is not waited for.
  setTimeout(() => process.exit(exitCodes.done), 0).unref();
  return exitCodes.done;
}

/** What a wrong configuration has to say is said before anything is served; what decides it is loaded only where it may be wrong. */
async function refuseClearText({ config }: CommandContext): Promise<void> {
  const { base } = config.broker;
  if (base.startsWith("https:") || isLoopback(new URL(base).hostname)) return;
  const { reachBroker } = await import("../broker/reach.js");
  await reachBroker(base, config);
}

function introduce(place: KnownPlace | undefined, { channel, toolsets }: McpOptions): Introduction {
  return {
    serverInfo: { name: "merkle", title: "Merkle", version: readVersion() },
    capabilities: { tools: {}, ...(channel && { experimental: channelCapability }) },
    instructions: writeInstructions(place, toolsets),
  };
}

interface LazyDesk extends ServedDesk {
  close(): Promise<void>;
}

function createLazyDesk(load: (client: DeskClient) => Promise<ToolDesk>): LazyDesk {
  let opening: Promise<ToolDesk> | undefined;
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

/** Whom the model will speak for, without asking a broker, which may not be there. */
async function findPlace({ as, join }: McpOptions, home: string): Promise<KnownPlace | undefined> {
  if (as === undefined) return join && { ...join, peer: null };
  // It reads with zod, which takes as long to load as all the rest.
  const { findHeldTeam } = await import("../sessions/stored-peers.js");
  const held = await findHeldTeam(home, as);
  return held && { session: held.slug, team: held.team_name, peer: held.peer_name };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
