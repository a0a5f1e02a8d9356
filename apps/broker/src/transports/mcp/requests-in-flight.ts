import { MerkleError } from "@merkle/wire";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { HttpAdmission } from "../http/admit.js";
import type { Exchange } from "./exchange.js";

/** A JSON-RPC request in flight, as passed to the server that answers it. */
export interface McpRequest {
  /** The message as received, before validation. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly url: URL;
  readonly headers: Headers;
  /** The sender of the request. Requests in one MCP session may come from different senders. */
  readonly admission: HttpAdmission;
  /**
   * Aborted when no one is waiting for the reply: the request was cancelled, its connection closed, or the
   * MCP session ended.
   */
  readonly signal: AbortSignal;
  /**
   * Runs a callback once the reply has been written to its caller in full. Skipped if the request was
   * cancelled or its connection broke.
   */
  onWritten(run: () => void): void;
}

/** The requests in one MCP session that have not been answered yet. */
export interface RequestsInFlight {
  /** Finds a request and marks it as running. Called by the code that serves the request. */
  find(id: RequestId): McpRequest | undefined;
  /**
   * Waits while one of these ids belongs to a request that is still running although its connection broke. A
   * client that retries with the same id would otherwise get the reply to the broken request.
   */
  waitUntilFree(messages: readonly unknown[]): Promise<void>;
  /**
   * Registers the requests among the messages in one HTTP request.
   *
   * @throws bad_request if a request with the same id is already in flight, because the replies could not be
   * distinguished
   */
  admit(exchange: Exchange, messages: readonly unknown[]): void;
  /** Records that the reply was passed to the transport. */
  markAnswered(id: RequestId): void;
  /** Records that a request has ended but the transport could not send its reply. */
  markUnsent(id: RequestId): void;
  /** Cancels a request for its caller. Returns false if there is no such request or its reply is being sent. */
  cancel(id: RequestId): boolean;
  /** Returns whether another request is waiting for the same HTTP response. */
  sharesResponse(id: RequestId): boolean;
  abortAll(): void;
}

interface InFlightRequest extends McpRequest {
  readonly exchange: Exchange;
  readonly abort: AbortController;
  readonly runs: (() => void)[];
  /**
   * `taken`: registered but not running yet. `abandoned`: still running, but no one is waiting for the reply.
   */
  state: "taken" | "running" | "abandoned" | "answered" | "cancelled";
  readonly free: Promise<void>;
  readonly setFree: () => void;
}

/** @param options.outlivesConnection - whether a reply can still be fetched after the connection has closed */
export function createRequestsInFlight(options: { outlivesConnection: boolean }): RequestsInFlight {
  const pending = new Map<RequestId, InFlightRequest>();

  function release(id: RequestId, request: InFlightRequest, outcome: "written" | "broken"): void {
    const isServed = request.state === "running";
    if (options.outlivesConnection && (isServed || request.state === "taken")) return;
    if (isServed) {
      request.state = "abandoned";
      request.abort.abort();
      return;
    }
    if (pending.get(id) === request) pending.delete(id);
    if (request.state !== "answered") request.abort.abort();
    else if (outcome === "written") for (const run of request.runs) run();
  }

  function freeIfAbandoned(id: RequestId): boolean {
    const request = pending.get(id);
    if (request?.state !== "abandoned") return false;
    pending.delete(id);
    request.setFree();
    return true;
  }

  function take(exchange: Exchange, id: RequestId, message: Readonly<Record<string, unknown>>): void {
    const abort = new AbortController();
    const runs: (() => void)[] = [];
    const { url, headers, admission } = exchange;
    let setFree = () => {};
    const free = new Promise<void>((resolve) => {
      setFree = resolve;
    });
    const request: InFlightRequest = {
      message,
      url,
      headers,
      admission,
      signal: abort.signal,
      onWritten: (run) => runs.push(run),
      exchange,
      abort,
      runs,
      state: "taken",
      free,
      setFree,
    };
    pending.set(id, request);
    void exchange.ended.then((outcome) => release(id, request, outcome));
  }

  return {
    find(id) {
      const request = pending.get(id);
      if (request?.state === "taken") request.state = "running";
      return request;
    },
    async waitUntilFree(messages) {
      for (const message of messages) {
        const request = isRequest(message) ? pending.get(message.id) : undefined;
        if (request?.state === "abandoned") await request.free;
      }
    },
    admit(exchange, messages) {
      for (const message of messages) {
        if (!isRequest(message)) continue;
        if (pending.has(message.id)) throw idInUse(message.id);
        take(exchange, message.id, message);
      }
    },
    markAnswered(id) {
      if (freeIfAbandoned(id)) return;
      const request = pending.get(id);
      if (request?.state !== "running" && request?.state !== "taken") return;
      request.state = "answered";
      // Removes the request if its connection ended before the reply was ready. Usually the connection ends
      // later.
      void request.exchange.ended.then(() => pending.get(id) === request && pending.delete(id));
    },
    markUnsent: (id) => void freeIfAbandoned(id),
    cancel(id) {
      // The SDK sends no reply to a cancelled request, so the id must be freed here.
      if (freeIfAbandoned(id)) return true;
      const request = pending.get(id);
      if (request?.state !== "running" && request?.state !== "taken") return false;
      request.state = "cancelled";
      request.abort.abort();
      return true;
    },
    sharesResponse(id) {
      const exchange = pending.get(id)?.exchange;
      return [...pending].some(([other, request]) => other !== id && request.exchange === exchange);
    },
    abortAll() {
      for (const { abort, setFree } of pending.values()) {
        abort.abort();
        setFree();
      }
      pending.clear();
    },
  };
}

function isRequest(message: unknown): message is Readonly<Record<string, unknown>> & { id: RequestId } {
  if (typeof message !== "object" || message === null || !("method" in message) || !("id" in message))
    return false;
  return typeof message.id === "string" || typeof message.id === "number";
}

function idInUse(id: RequestId): MerkleError {
  return new MerkleError(
    "bad_request",
    `A request with the id ${JSON.stringify(id).slice(0, 100)} is still being answered in this MCP session. Give each request a different id.`,
  );
}
