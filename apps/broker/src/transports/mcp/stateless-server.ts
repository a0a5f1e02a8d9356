import { withProgress } from "@merkle/wire";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { toMerkleError } from "../../core/to-merkle-error.js";
import type { Services } from "../services.js";
import type { Exchange } from "./exchange.js";
import { writeInstructions } from "./instructions.js";
import { mailTemplate, openMailBus, readMailResource } from "./mail-resource.js";
import type { McpRequest } from "./requests-in-flight.js";
import { createToolDispatcher } from "./tool-dispatcher.js";

export interface StatelessServer {
  /** Answers one request. Returns null for a request of a protocol revision with sessions. */
  serve(exchange: Exchange, body: unknown): Promise<Response | null>;
  /** Ends the streams cleanly, so that their clients reconnect. */
  endStreams(): void;
}

/**
 * The tool list and the instructions change only when the broker's version changes, but they differ between
 * meshes.
 */
const cacheHint = { ttlMs: 60 * 60_000, cacheScope: "private" } as const;

/**
 * Creates the server for the sessionless protocol revision. It treats each request separately and stores
 * nothing about clients (MCP-16).
 */
export function createStatelessServer(services: Services): StatelessServer {
  const streams = new Set<McpHttpHandler>();

  return {
    async serve(exchange, body) {
      const controller = new AbortController();
      void exchange.ended.then((how) => how === "broken" && controller.abort());
      const request = toRequest(exchange, controller.signal);
      if (await isLegacyRequest(request, body)) return null;
      // If this request is left unanswered, the client considers the method unknown and opens a session
      // instead.
      if (Object(body).method === "server/discover" && needsMemory(exchange)) return null;

      const handler = await openHandler(services, toMcpRequest(exchange, body, controller.signal), exchange);
      streams.add(handler);
      void exchange.ended.then(() => streams.delete(handler));
      return handler.fetch(request, { parsedBody: body });
    },
    endStreams() {
      for (const handler of streams) void handler.close();
    },
  };
}

/**
 * Returns whether the client should open a session, which keeps the team's credential hidden from the model
 * that reads the replies (MCP-2). A caller that sends the team in a header or sets `structured` has chosen to
 * work without a session.
 */
function needsMemory({ url, headers }: Exchange): boolean {
  const { searchParams } = url;
  return (
    searchParams.get("view") === "compact" && !searchParams.has("structured") && !headers.has("x-team-id")
  );
}

/**
 * Creates a handler for each request, because the events sent to a listening client depend on its identity.
 */
async function openHandler(
  services: Services,
  request: McpRequest,
  exchange: Exchange,
): Promise<McpHttpHandler> {
  let handler: McpHttpHandler;
  const uris = request.message["method"] === "subscriptions/listen" ? toSubscribedUris(request.message) : [];
  const bus = await openMailBus(exchange, { uris, onEnded: () => void handler.close() });
  handler = createMcpHandler(() => createServer(services, request, exchange), { legacy: "reject", bus });
  return handler;
}

function createServer(services: Services, request: McpRequest, exchange: Exchange): Server {
  const user = { sessionId: null, isStateless: true };
  const dispatcher = createToolDispatcher(services, user);
  const { principal } = request.admission;
  const listed = new Set(dispatcher.list(request.url, principal).map(({ name }) => name));
  const server = new Server(
    { name: "merkle", title: "Merkle", version: services.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true } },
      instructions: writeInstructions({
        baseUrl: services.addresses.getBaseUrl(),
        ...{ listed, principal, remembersTeam: false },
      }),
      cacheHints: {
        "server/discover": cacheHint,
        "tools/list": cacheHint,
        "resources/list": cacheHint,
        "resources/templates/list": cacheHint,
      },
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: dispatcher.list(request.url, principal),
  }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
    withProgress(
      mcpReq._meta?.progressToken,
      (progress) => mcpReq.notify({ method: "notifications/progress", params: { ...progress } }),
      () => dispatcher.call(params.name, request),
    ),
  );
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [mailTemplate] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    try {
      const text = await readMailResource(exchange, uri);
      return { contents: [{ uri, mimeType: mailTemplate.mimeType, text }] };
    } catch (error) {
      const { code, message, details } = toMerkleError(error, services.log, {
        transport: "mcp",
        uri: uri.slice(0, 100),
      });
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, details, uri });
    }
  });
  return server;
}

/** Converts the only request in an exchange to the form that the tools take. */
function toMcpRequest(exchange: Exchange, body: unknown, signal: AbortSignal): McpRequest {
  const { url, headers, admission, ended } = exchange;
  return {
    message: Object(body),
    url,
    headers,
    admission,
    signal,
    onWritten: (run) => void ended.then((how) => how === "written" && run()),
  };
}

/** Creates a request for the SDK from a body that was already parsed. */
function toRequest({ url, headers: original }: Exchange, signal: AbortSignal): Request {
  const headers = new Headers(original);
  headers.delete("content-length");
  return new Request(url, { method: "POST", headers, signal });
}

function toSubscribedUris({ params }: McpRequest["message"]): string[] {
  const { resourceSubscriptions: uris } = Object(Object(params).notifications);
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}
