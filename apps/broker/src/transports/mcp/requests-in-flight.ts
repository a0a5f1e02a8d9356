import { MerkleError } from "@merkle/wire";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { HttpAdmission } from "../http/admit.js";
import type { Exchange } from "./exchange.js";

/** A JSON-RPC request under way, as the server that answers it sees it. */
export interface McpRequest {
  /** The message as it came, before any schema has looked at it. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly url: URL;
  readonly headers: Headers;
  /** Who sends it; not every request of an MCP session need come from the same one. */
  readonly admission: HttpAdmission;
  /** Aborted when nobody waits for the answer any more: cancelled, connection closed, MCP session ended. */
  readonly signal: AbortSignal;
  /** Runs when the answer has been written to its caller in full; not when it was cancelled or its connection broke. */
  onWritten(run: () => void): void;
}

/** The requests of one MCP session that have no answer yet. */
export interface RequestsInFlight {
  find(id: RequestId): McpRequest | undefined;
  /**
   * Takes up the requests among the messages of one HTTP request.
   *
   * @throws bad_request when one has the id of another that is under way: nobody could tell their answers apart
   */
  admit(exchange: Exchange, messages: readonly unknown[]): void;
  /** Notes that the answer was handed to the transport. */
  answered(id: RequestId): void;
  /** Ends a request on its caller's wish; false when there is no such request, or its answer is on its way. */
  cancel(id: RequestId): boolean;
  /** Whether another request waits for the same HTTP response. */
  sharesResponse(id: RequestId): boolean;
  abortAll(): void;
}

interface Pending extends McpRequest {
  readonly exchange: Exchange;
  readonly abort: AbortController;
  readonly runs: (() => void)[];
  state: "running" | "answered" | "cancelled";
}

/** @param options.outlivesConnection - whether an answer can still be fetched when the connection has closed */
export function createRequestsInFlight(options: { outlivesConnection: boolean }): RequestsInFlight {
  const pending = new Map<RequestId, Pending>();

  function release(id: RequestId, request: Pending, outcome: "written" | "broken"): void {
    if (request.state === "running" && options.outlivesConnection) return;
    if (pending.get(id) === request) pending.delete(id);
    if (request.state !== "answered") request.abort.abort();
    else if (outcome === "written") for (const run of request.runs) run();
  }

  function take(exchange: Exchange, id: RequestId, message: Readonly<Record<string, unknown>>): void {
    const abort = new AbortController();
    const runs: (() => void)[] = [];
    const { url, headers, admission } = exchange;
    const request: Pending = {
      message,
      url,
      headers,
      admission,
      signal: abort.signal,
      onWritten: (run) => runs.push(run),
      exchange,
      abort,
      runs,
      state: "running",
    };
    pending.set(id, request);
    void exchange.ended.then((outcome) => release(id, request, outcome));
  }

  return {
    find: (id) => pending.get(id),
    admit(exchange, messages) {
      for (const message of messages) {
        if (!isRequest(message)) continue;
        if (pending.has(message.id)) throw idInUse(message.id);
        take(exchange, message.id, message);
      }
    },
    answered(id) {
      const request = pending.get(id);
      if (request?.state !== "running") return;
      request.state = "answered";
      // What outlived its connection is released here; for all others the end of the exchange comes later.
      void request.exchange.ended.then(() => pending.get(id) === request && pending.delete(id));
    },
    cancel(id) {
      const request = pending.get(id);
      if (request?.state !== "running") return false;
      request.state = "cancelled";
      request.abort.abort();
      return true;
    },
    sharesResponse(id) {
      const exchange = pending.get(id)?.exchange;
      return [...pending].some(([other, request]) => other !== id && request.exchange === exchange);
    },
    abortAll() {
      for (const { abort } of pending.values()) abort.abort();
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
    `A request with the id ${JSON.stringify(id).slice(0, 100)} is still being answered in this MCP session. Give each request an id of its own.`,
  );
}
