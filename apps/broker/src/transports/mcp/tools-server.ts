import { withProgress } from "@merkle/wire";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Services } from "../services.js";
import { writeInstructions } from "./instructions.js";
import type { McpSession } from "./mcp-session.js";
import { createToolDispatcher } from "./tool-dispatcher.js";

/**
 * Returns a function that creates an MCP session's server, which offers every operation for agents as a tool.
 */
export function createToolsServers(services: Services): (session: McpSession) => Server {
  // Creating a validator costs more than creating the rest of a server, so all servers share one validator.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  return (session) => {
    const user = { sessionId: session.id, isStateless: false };
    const dispatcher = createToolDispatcher(services, user);
    const { url, principal } = session.openedBy ?? { url: new URL("http://localhost"), principal: null };
    const listed = new Set(dispatcher.list(url, principal).map(({ name }) => name));
    const server = new Server(
      { name: "merkle", title: "Merkle", version: services.version },
      {
        capabilities: { tools: {} },
        instructions: writeInstructions({
          baseUrl: services.addresses.getBaseUrl(),
          ...{ listed, principal, remembersTeam: true },
        }),
        jsonSchemaValidator,
      },
    );
    // These handlers replace the SDK's tool registry, which would produce an older JSON Schema and reply with
    // its own errors before the broker's checks.
    server.setRequestHandler(ListToolsRequestSchema, (_request, { requestId }) => {
      const { url, admission } = session.request(requestId);
      return { tools: dispatcher.list(url, admission.principal) };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId, sendNotification }) =>
      withProgress(
        params._meta?.progressToken,
        (progress) => sendNotification({ method: "notifications/progress", params: { ...progress } }),
        () => dispatcher.call(params.name, session.request(requestId)),
      ),
    );
    return server;
  };
}
