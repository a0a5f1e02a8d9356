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
  /** The sender; not every request of an MCP session need come from the same one. */
  readonly admission: HttpAdmission;
  /** Aborted when nobody waits for the answer any more: cancelled, connection closed, MCP session ended. */
  readonly signal: AbortSignal;
  /** Runs when the answer has been written to its caller in full; not when it was cancelled or its connection broke. */
  onWritten(run: () => void): void;
}

/** The requests of one MCP session that have no answer yet. */
export interface RequestsInFlight {
  /** Finds a request for who serves it. */
  find(id: RequestId): McpRequest | undefined;
  /**
   * Resolves when none of these ids is that of a request whose connection broke and that has yet to end: its answer would go
   * to whoever takes the id over, as a client does that sends its request again.
   */
  untilFree(messages: readonly unknown[]): Promise<void>;
  /**
   * Takes up the requests among the messages of one HTTP request.
   *
   * @throws bad_request when one has the id of another that is under way: nobody could tell their answers apart
   */
  admit(exchange: Exchange, messages: readonly unknown[]): void;
  /** Notes that the answer was handed to the transport. */
  answered(id: RequestId): void;
  /** Notes that it has ended, and that the transport had nowhere to put its answer. */
  unsent(id: RequestId): void;
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
  /** Taken is what nothing serves yet; abandoned what nobody waits for any more, and that has yet to end. */
  state: "taken" | "running" | "abandoned" | "answered" | "cancelled";
  readonly free: Promise<void>;
  readonly setFree: () => void;
}

/** @param options.outlivesConnection - whether an answer can still be fetched when the connection has closed */
export function createRequestsInFlight(options: { outlivesConnection: boolean }): RequestsInFlight {
  const pending = new Map<RequestId, Pending>();

  function release(id: RequestId, request: Pending, outcome: "written" | "broken"): void {
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
    async untilFree(messages) {
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
    answered(id) {
      if (freeIfAbandoned(id)) return;
      const request = pending.get(id);
      if (request?.state !== "running" && request?.state !== "taken") return;
      request.state = "answered";
      // A request that outlived its connection is released here; for all others the end of the exchange comes later.
      void request.exchange.ended.then(() => pending.get(id) === request && pending.delete(id));
    },
    unsent: (id) => void freeIfAbandoned(id),
    cancel(id) {
      // The SDK sends no answer to what was cancelled, so that nothing else would free it.
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
