import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { exitCodes } from "../cli-error.js";
import type { CommandContext } from "../command.js";
import { findHeldTeam } from "../teams/held-teams.js";
import { readVersion } from "../version.js";
import { type KnownPlace, writeInstructions } from "./instructions.js";
import { type McpOptions, readMcpOptions } from "./options.js";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.js";
import type { ToolDesk } from "./tool-desk.js";

/** Clients kill a server that takes half a second to end. Mostly it takes a few milliseconds. */
const endMsMax = 350;

/**
 * Speaks MCP on stdin and stdout until the client has gone or a signal comes, and never ends for any other reason. It
 * greets at once: everything that takes time, the broker included, is only begun then (STDIO-1).
 */
export async function serveStdio(context: CommandContext): Promise<number> {
  const { config, flags, output, signal } = context;
  const options = readMcpOptions(flags);
  const log = (text: string) => {
    if (output.verbose) process.stderr.write(`merkle mcp: ${text}\n`);
  };
  const transport = createStdioTransport(process.stdin, process.stdout);
  const desk = createLazyDesk(async () => {
    const { openToolDesk } = await import("./tool-desk.js");
    const claudeSessionId = process.env["CLAUDE_CODE_SESSION_ID"] || null;
    return openToolDesk({ config, options, claudeSessionId, log });
  });
  const server = createServer(transport, desk, writeInstructions(await findPlace(options, config.home)));
  server.oninitialized = () => void desk.open();
  await server.connect(transport);

  await Promise.race([transport.ended, aborted(signal)]);
  await Promise.race([desk.close(), delay(endMsMax)]);
  await server.close();
  // Whatever still lingers, a socket that nobody answers on perhaps, is not waited for.
  setTimeout(() => process.exit(exitCodes.done), 0).unref();
  return exitCodes.done;
}

interface LazyDesk {
  open(): Promise<ToolDesk>;
  close(): Promise<void>;
}

function createLazyDesk(load: () => Promise<ToolDesk>): LazyDesk {
  let opening: Promise<ToolDesk> | undefined;
  return {
    open() {
      opening ??= load();
      return opening;
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

function createServer(transport: StdioTransport, desk: LazyDesk, instructions: string): Server {
  const server = new Server(
    { name: "merkle", title: "Merkle", version: readVersion() },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await desk.open()).tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const request = transport.find(requestId);
    if (!request) throw new TypeError("This request is no longer under way.");
    const { result, settle } = await (await desk.open()).call(
      params.name,
      argumentsOf(request.params),
      request.signal,
    );
    request.onSettled(settle);
    return result;
  });
  return server;
}

function argumentsOf(params: unknown): unknown {
  return typeof params === "object" && params !== null && "arguments" in params
    ? params.arguments
    : undefined;
}

/** Whom the model will speak for, without asking a broker, which may not be there. */
async function findPlace({ as, join }: McpOptions, home: string): Promise<KnownPlace | undefined> {
  if (as === undefined) return join;
  const held = await findHeldTeam(home, as);
  return held && { session: held.slug, team: held.team_name };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
