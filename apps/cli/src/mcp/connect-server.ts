import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Introduction } from "./greet-first.js";
import type { StdioTransport } from "./stdio-transport.js";
import type { ToolDesk } from "./tool-desk.js";

export interface ServedDesk {
  /** Opens it where nobody has. */
  open(): Promise<ToolDesk>;
}

interface Serving {
  readonly desk: ServedDesk;
  readonly introduction: Introduction;
  /** Where requests come in. */
  readonly requests: StdioTransport;
}

/** Connects an MCP server that offers the desk's tools, and opens the desk as soon as the client is ready. */
export async function connectServer(transport: Transport, serving: Serving): Promise<void> {
  const server = createServer(serving);
  server.oninitialized = () => void serving.desk.open();
  await server.connect(transport);
}

export function createServer({ desk, introduction, requests }: Serving): Server {
  const { serverInfo, capabilities, instructions } = introduction;
  const server = new Server(serverInfo, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await desk.open()).tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const request = requests.find(requestId);
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
