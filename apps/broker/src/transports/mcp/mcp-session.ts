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
import { idOfKey } from "./session-store.js";

/** An MCP session, as the server made for it sees it. */
export interface McpSession {
  /** Its key (`toSessionKey`). Null for a single request without `initialize`, of which nothing is remembered. */
  readonly id: string | null;
  /** The address by which the client opened it, and who that is; null for one that is taken up again. */
  readonly openedBy: { readonly url: URL; readonly principal: Principal | null } | null;
  /** @throws TypeError when no such request is under way */
  request(id: RequestId): McpRequest;
}

/** Whatever the SDK can connect: its `Server` and its `McpServer`. */
export interface ConnectableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** Lets a client fetch what it missed when a stream broke. */
export interface Resumability {
  createEventStore(): EventStore;
  /** How long a client waits before it comes back to a stream. */
  readonly retryIntervalMs: number;
}

export interface McpSessionOptions extends Pick<McpSession, "id" | "openedBy"> {
  /** Told of a request that was cancelled, and is none of those that are answered here. */
  readonly onCancelledElsewhere?: (request: RequestId) => Promise<void>;
  readonly createServer: (session: McpSession) => ConnectableServer;
  readonly resumability: Resumability | undefined;
}

/** A session with a server and a transport in this process. */
export interface LiveMcpSession extends McpSession {
  /** Whether a client waits for something. */
  readonly busy: boolean;
  post(exchange: Exchange, body: unknown): Promise<Response>;
  /** The stream on which the server speaks outside of answers. */
  listen(exchange: Exchange): Promise<Response>;
  /** Repeats what the session was once opened with; false when it is refused. */
  replay(initialize: unknown): Promise<boolean>;
  /** Ends a request on its caller's wish; false when it is not answered here. */
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
    ...(id === null ? { enableJsonResponse: true } : { sessionIdGenerator: () => idOfKey(id) }),
    ...(resumability && {
      eventStore: resumability.createEventStore(),
      retryInterval: resumability.retryIntervalMs,
    }),
  });
  const send = transport.send.bind(transport);
  transport.send = async (message, sendOptions) => {
    const answered = isAnswer(message) ? message.id : undefined;
    try {
      await send(message, sendOptions);
    } catch (error) {
      if (answered !== undefined) requests.unsent(answered);
      throw error;
    }
    if (answered !== undefined) requests.answered(answered);
  };
  const server = createServer(session);
  // The class implements Transport; its declaration only lacks the `| undefined` that exact optional properties ask for.
  await server.connect(transport as Transport);

  function hold({ ended }: Exchange): void {
    open += 1;
    void ended.then(() => {
      open -= 1;
    });
  }

  /** The SDK gives a cancelled request no answer, but would leave its response open for ever. */
  async function cancel(requestId: RequestId): Promise<boolean> {
    if (!requests.cancel(requestId)) return false;
    if (!requests.sharesResponse(requestId)) transport.closeSSEStream(requestId);
    const error = { code: -32800, message: "The request was cancelled." };
    // Where the response is closed already, this only lets the transport forget the request, and says that it cannot answer.
    await send({ jsonrpc: "2.0", id: requestId, error }).catch(() => undefined);
    return true;
  }

  return {
    ...session,
    get busy() {
      return open > 0;
    },
    async post(exchange, body) {
      hold(exchange);
      const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
      await requests.untilFree(messages);
      requests.admit(exchange, messages);
      const response = await transport.handleRequest(toPost(exchange.url, exchange.headers), {
        parsedBody: body,
      });
      for (const cancelled of messages.flatMap(cancelledBy)) {
        if (!(await cancel(cancelled))) await options.onCancelledElsewhere?.(cancelled);
      }
      return wantsStream(exchange.headers) ? response : toPlainJson(response);
    },
    listen(exchange) {
      hold(exchange);
      return transport.handleRequest(new Request(exchange.url, { headers: exchange.headers }));
    },
    async replay(initialize) {
      const headers = new Headers(id === null ? {} : { "mcp-session-id": idOfKey(id) });
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

/** The body was read and parsed before. The SDK insists on both types, where curl accepts anything. */
function toPost(url: URL, original: Headers): Request {
  const headers = new Headers(original);
  headers.set("accept", "application/json, text/event-stream");
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  return new Request(url, { method: "POST", headers });
}

function wantsStream(headers: Headers): boolean {
  return headers.get("accept")?.includes("text/event-stream") ?? false;
}

function isAnswer(message: JSONRPCMessage): message is JSONRPCMessage & { id?: RequestId } {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}

function cancelledBy(message: unknown): RequestId[] {
  if (typeof message !== "object" || message === null || !("method" in message) || !("params" in message))
    return [];
  const { method, params } = message;
  if (method !== "notifications/cancelled" || typeof params !== "object" || params === null) return [];
  const id = "requestId" in params ? params.requestId : undefined;
  return typeof id === "string" || typeof id === "number" ? [id] : [];
}
