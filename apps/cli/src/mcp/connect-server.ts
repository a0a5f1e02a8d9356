import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { callTool, type ServeOptions } from "./served-tools.js";
import type { ToolServer } from "./tool-server.js";
import { type Channel, channelMethod } from "./waking/wake-paths.js";

/** Connects an MCP server that offers the tools. Opens the tools once the client is ready. */
export async function connectServer(transport: Transport, options: ServeOptions): Promise<void> {
  const server = createServer(options);
  server.oninitialized = () => void openTools(server, options);
  await server.connect(transport);
}

export function createServer(options: ServeOptions): Server {
  const { introduction, requests } = options;
  const { serverInfo, capabilities, instructions } = introduction;
  const server = new Server(serverInfo, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await openTools(server, options)).tools,
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, sendNotification }) =>
    callTool(await openTools(server, options), {
      ...{ name: params.name, requestId, requests, progressToken: params._meta?.progressToken },
      sendProgress: (progress) => sendNotification({ method: "notifications/progress", params: progress }),
    }),
  );
  return server;
}

function openTools(server: Server, { tools, introduction }: ServeOptions): Promise<ToolServer> {
  const channel: Channel = {
    isConnected: true,
    // Channel messages are an experimental capability, for which the SDK has no method.
    send: async ({ content, meta }) =>
      server.transport?.send({ jsonrpc: "2.0", method: channelMethod, params: { content, meta } }),
    onChange: () => undefined,
  };
  return tools.open({
    getInfo: () => server.getClientVersion(),
    channel: introduction.capabilities.experimental ? channel : null,
    isStructured: false,
  });
}
