import { withProgress } from "@merkle/wire";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Introduction } from "./greet-first.js";
import type { ClientInfo } from "./self-description.js";
import type { StdioTransport } from "./stdio-transport.js";
import type { ToolServer } from "./tool-server.js";
import { type ChannelMessage, channelMethod } from "./waking/wake-paths.js";

export interface ServedTools {
  /** Opens it where nobody has, for this client. */
  open(client: ToolClient): Promise<ToolServer>;
}

export interface ToolClient {
  /** How it introduced itself, once it has. */
  readonly info: () => ClientInfo | undefined;
  readonly sendChannel: (message: ChannelMessage) => Promise<void>;
}

interface Serving {
  readonly desk: ServedTools;
  readonly introduction: Introduction;
  /** Where requests come in. */
  readonly requests: StdioTransport;
}

/** Connects an MCP server that offers the desk's tools, and opens the desk as soon as the client is ready. */
export async function connectServer(transport: Transport, serving: Serving): Promise<void> {
  const server = createServer(serving);
  server.oninitialized = () => void openDesk(server, serving.desk);
  await server.connect(transport);
}

export function createServer({ desk, introduction, requests }: Serving): Server {
  const { serverInfo, capabilities, instructions } = introduction;
  const server = new Server(serverInfo, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await openDesk(server, desk)).tools,
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, sendNotification }) => {
    const request = requests.find(requestId);
    if (!request) throw new TypeError("This request is no longer under way.");
    const tools = await openDesk(server, desk);
    const { result, settle } = await withProgress(
      params._meta?.progressToken,
      (progress) => sendNotification({ method: "notifications/progress", params: { ...progress } }),
      () =>
        tools.call({
          name: params.name,
          args: fieldOf(request.params, "arguments"),
          toolUseId: toolUseIdOf(request.params),
          meta: fieldOf(request.params, "_meta"),
          signal: request.signal,
        }),
    );
    request.onSettled(settle);
    return result;
  });
  return server;
}

function openDesk(server: Server, desk: ServedTools): Promise<ToolServer> {
  return desk.open({
    info: () => server.getClientVersion(),
    // Channels are an experimental capability, so the SDK has no method for them.
    sendChannel: async ({ content, meta }) =>
      server.transport?.send({ jsonrpc: "2.0", method: channelMethod, params: { content, meta } }),
  });
}

function toolUseIdOf(params: unknown): string | undefined {
  const id = fieldOf(fieldOf(params, "_meta"), "claudecode/toolUseId");
  return typeof id === "string" ? id : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
