import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { callTool, type Serving } from "./served-tools.js";
import type { ToolServer } from "./tool-server.js";
import { type Channel, channelMethod } from "./waking/wake-paths.js";

/** Connects an MCP server that offers the tools. Opens the tools once the client is ready. */
export async function connectServer(transport: Transport, serving: Serving): Promise<void> {
  const server = createServer(serving);
  server.oninitialized = () => void openDesk(server, serving);
  await server.connect(transport);
}

export function createServer(serving: Serving): Server {
  const { introduction, requests } = serving;
  const { serverInfo, capabilities, instructions } = introduction;
  const server = new Server(serverInfo, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await openDesk(server, serving)).tools,
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, sendNotification }) =>
    callTool(await openDesk(server, serving), {
      ...{ name: params.name, requestId, requests, progressToken: params._meta?.progressToken },
      sendProgress: (progress) => sendNotification({ method: "notifications/progress", params: progress }),
    }),
  );
  return server;
}

function openDesk(server: Server, { desk, introduction }: Serving): Promise<ToolServer> {
  const channel: Channel = {
    isThere: true,
    // Channel messages are an experimental capability, for which the SDK has no method.
    send: async ({ content, meta }) =>
      server.transport?.send({ jsonrpc: "2.0", method: channelMethod, params: { content, meta } }),
    onChange: () => undefined,
  };
  return desk.open({
    info: () => server.getClientVersion(),
    channel: introduction.capabilities.experimental ? channel : null,
    structured: false,
  });
}
