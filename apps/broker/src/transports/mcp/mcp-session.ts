import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { Principal } from "../../identity/principal.js";
import type { Exchange } from "./exchange.js";
import { createRequestsInFlight, type McpRequest } from "./requests-in-flight.js";
import { toPlainJson } from "./rpc-response.js";
import { toSessionId } from "./session-store.js";

/** An MCP session, as passed to the server that is created for it. */
export interface McpSession {
  /**
   * The session's key (see `toSessionKey`). Null for a single request without `initialize`, for which no
   * credentials are stored.
   */
  readonly id: string | null;
  /** The URL and the principal with which the client opened the session. Null for a restored session. */
  readonly openedBy: { readonly url: URL; readonly principal: Principal | null } | null;
  /** @throws TypeError if no request with this id is in flight */
  request(id: RequestId): McpRequest;
}

/** Any server that the MCP SDK can connect: its `Server` or its `McpServer`. */
export interface ConnectableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** Lets a client fetch the events that it missed when its stream broke. */
export interface Resumability {
  createEventStore(): EventStore;
  /** Delay before a client reconnects to a stream. */
  readonly retryIntervalMs: number;
}

export interface McpSessionOptions extends Pick<McpSession, "id" | "openedBy"> {
  /** Called when the client cancels a request that is not being answered on this node. */
  readonly onCancelledElsewhere?: (request: RequestId) => Promise<void>;
  readonly createServer: (session: McpSession) => ConnectableServer;
  readonly resumability: Resumability | undefined;
}

/** An MCP session whose server and transport are in this process. */
export interface LiveMcpSession extends McpSession {
  /** Whether a client is waiting for a reply. */
  readonly isBusy: boolean;
  post(exchange: Exchange, body: unknown): Promise<Response>;
  /** Opens the stream on which the server sends messages other than replies. */
  listen(exchange: Exchange): Promise<Response>;
  /** Repeats the `initialize` request that opened the session. Returns false if the request is refused. */
  replay(initialize: unknown): Promise<boolean>;
  /** Cancels a request for its caller. Returns false if the request is not being answered on this node. */
  cancel(request: RequestId): Promise<boolean>;
  endStream(): void;
  close(): Promise<void>;
}

export async function openMcpSession(options: McpSessionOptions): Promise<LiveMcpSession> {
  const { id, openedBy, createServer, resumability } = options;
  const requests = createRequestsInFlight({ outlivesConnection: resumability !== undefined });
  let open = 0;

  const session: McpSession = {
    id,
    openedBy,
    request(requestId) {
      const request = requests.find(requestId);
      if (!request) throw new TypeError("This request has already ended.");
      return request;
    },
  };
  const transport = new WebStandardStreamableHTTPServerTransport({
    ...(id === null ? { enableJsonResponse: true } : { sessionIdGenerator: () => toSessionId(id) }),
    ...(resumability && {
      eventStore: resumability.createEventStore(),
      retryInterval: resumability.retryIntervalMs,
    }),
  });
  const send = transport.send.bind(transport);
  transport.send = async (message, sendOptions) => {
    const answeredId = isAnswer(message) ? message.id : undefined;
    try {
      await send(message, sendOptions);
    } catch (error) {
      if (answeredId !== undefined) requests.markUnsent(answeredId);
      throw error;
    }
    if (answeredId !== undefined) requests.markAnswered(answeredId);
  };
  const server = createServer(session);
  // The class implements Transport. Its type declaration does not match only because it lacks the `| undefined`
  // that exact optional properties require.
  await server.connect(transport as Transport);

  function hold({ ended }: Exchange): void {
    open += 1;
    void ended.then(() => {
      open -= 1;
    });
  }

  /**
   * Cancels a request. The SDK sends no reply to a cancelled request, but it would leave the request's
   * response open forever.
   */
  async function cancel(requestId: RequestId): Promise<boolean> {
    if (!requests.cancel(requestId)) return false;
    if (!requests.sharesResponse(requestId)) transport.closeSSEStream(requestId);
    const error = { code: -32800, message: "The request was cancelled." };
    // If the response is already closed, this call fails, but the transport still removes the request.
    await send({ jsonrpc: "2.0", id: requestId, error }).catch(() => undefined);
    return true;
  }

  return {
    ...session,
    get isBusy() {
      return open > 0;
    },
    async post(exchange, body) {
      hold(exchange);
      const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
      await requests.waitUntilFree(messages);
      requests.admit(exchange, messages);
      const response = await transport.handleRequest(toPost(exchange.url, exchange.headers), {
        parsedBody: body,
      });
      for (const cancelled of messages.flatMap(findCancelledIds)) {
        if (!(await cancel(cancelled))) await options.onCancelledElsewhere?.(cancelled);
      }
      return acceptsStream(exchange.headers) ? response : toPlainJson(response);
    },
    listen(exchange) {
      hold(exchange);
      return transport.handleRequest(new Request(exchange.url, { headers: exchange.headers }));
    },
    async replay(initialize) {
      const headers = new Headers(id === null ? {} : { "mcp-session-id": toSessionId(id) });
      const url = new URL("http://localhost/mcp");
      const response = await transport.handleRequest(toPost(url, headers), { parsedBody: initialize });
      await response.text();
      const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
      await transport.handleRequest(toPost(url, headers), { parsedBody: initialized });
      return response.ok;
    },
    cancel,
    endStream: () => transport.closeStandaloneSSEStream(),
    async close() {
      requests.abortAll();
      await server.close();
    },
  };
}

/**
 * Creates a request for the SDK from a body that was already parsed. The SDK requires both content types in
 * the Accept header, whereas curl accepts any type.
 */
function toPost(url: URL, original: Headers): Request {
  const headers = new Headers(original);
  headers.set("accept", "application/json, text/event-stream");
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  return new Request(url, { method: "POST", headers });
}

function acceptsStream(headers: Headers): boolean {
  return headers.get("accept")?.includes("text/event-stream") ?? false;
}

function isAnswer(message: JSONRPCMessage): message is JSONRPCMessage & { id?: RequestId } {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}

function findCancelledIds(message: unknown): RequestId[] {
  if (typeof message !== "object" || message === null || !("method" in message) || !("params" in message))
    return [];
  const { method, params } = message;
  if (method !== "notifications/cancelled" || typeof params !== "object" || params === null) return [];
  const id = "requestId" in params ? params.requestId : undefined;
  return typeof id === "string" || typeof id === "number" ? [id] : [];
}
