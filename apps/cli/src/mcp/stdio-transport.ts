import type { Readable, Writable } from "node:stream";
import { withoutNullArguments } from "@merkle/wire";
import { parseStrictJson } from "@merkle/wire/text";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { isObject } from "../core/is-object.js";

/**
 * A JSON-RPC transport over two streams, with one message per line. Tracks for each request whether its reply
 * was delivered.
 */
export interface StdioTransport extends Transport {
  /** Returns a request that is still in progress, or undefined if it has been answered. */
  find(id: RequestId): StdioRequest | undefined;
  /** Resolves when the client has exited or closed our stdin. */
  readonly ended: Promise<void>;
  /**
   * Sends a ping. Resolves with true if the client sends anything within `withinMs`, otherwise with false.
   */
  ping(withinMs: number): Promise<boolean>;
}

interface StdioRequest {
  /**
   * The parameters as received. The SDK's schemas would drop unknown fields, but operations must refuse those
   * (CAT-5).
   */
  readonly params: unknown;
  /** Aborted when the client stops waiting for the reply. */
  readonly signal: AbortSignal;
  /**
   * Calls `run` once: with true when the reply has been fully written, or with false if it will never be
   * written.
   */
  onSettled(callback: (isWritten: boolean) => void): void;
}

interface PendingStdioRequest extends StdioRequest {
  readonly abort: AbortController;
  readonly callbacks: ((isWritten: boolean) => void)[];
  isSent: boolean;
}

/** The maximum length of a line. Longer than any valid request, because the broker accepts at most 2 MiB. */
const lineBytesMax = 16 * 1024 * 1024;

/** An id that cannot collide with request ids from clients or the SDK. */
const pingId = "merkle-ping";

export function createStdioTransport(input: Readable, output: Writable): StdioTransport {
  const pending = new Map<RequestId, PendingStdioRequest>();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let stopReading = () => {};
  const onLine = new Set<() => void>();

  const transport: StdioTransport = {
    ended,
    find: (id) => pending.get(id),
    ping: (withinMs) =>
      new Promise((resolve) => {
        const settle = (isAnswered: boolean) => {
          clearTimeout(timer);
          onLine.delete(onAnyLine);
          resolve(isAnswered);
        };
        const onAnyLine = () => settle(true);
        const timer = setTimeout(() => settle(false), withinMs);
        onLine.add(onAnyLine);
        write(output, { jsonrpc: "2.0", id: pingId, method: "ping" }).catch(() => settle(false));
      }),
    async start() {
      stopReading = readLines(input, receiveLine, end);
      // stdout is closed: the client has exited.
      output.on("error", end);
    },
    async send(message) {
      const id = "method" in message ? undefined : message.id;
      const request = id === undefined ? undefined : pending.get(id);
      if (request) request.isSent = true;
      try {
        await write(output, message);
        if (id !== undefined) settle(id, true);
      } catch (error) {
        if (id !== undefined) settle(id, false);
        throw error;
      }
    },
    async close() {
      stopReading();
      for (const id of [...pending.keys()]) settle(id, false);
      transport.onclose?.();
    },
  };

  function receiveLine(line: string): void {
    for (const listener of [...onLine]) listener();
    const message = withoutNullArguments(parse(line));
    if (message === undefined) return refuse(-32700, "This is not valid JSON, or a field occurs twice.");
    if (!isMessage(message)) return refuse(-32600, "This is not a JSON-RPC 2.0 message.");
    if (isPong(message)) return;
    if ("method" in message && "id" in message) admit(message.id, message.params);
    const cancelled = findCancelledId(message);
    // Ignore the cancellation of a request whose reply is already being written.
    if (cancelled !== undefined && pending.get(cancelled)?.isSent === false) settle(cancelled, false);
    transport.onmessage?.(message);
  }

  function admit(id: RequestId, params: unknown): void {
    const abort = new AbortController();
    const callbacks: PendingStdioRequest["callbacks"] = [];
    const onSettled = (callback: (isWritten: boolean) => void) => {
      if (abort.signal.aborted) callback(false);
      else callbacks.push(callback);
    };
    pending.set(id, { params, signal: abort.signal, onSettled, abort, callbacks, isSent: false });
  }

  function settle(id: RequestId, isWritten: boolean): void {
    const request = pending.get(id);
    pending.delete(id);
    if (!request) return;
    if (!isWritten) request.abort.abort();
    for (const callback of request.callbacks) callback(isWritten);
  }

  function refuse(code: number, message: string): void {
    // A failed write can be ignored: the client has exited, and its streams will report the end.
    write(output, { jsonrpc: "2.0", id: null, error: { code, message } }).catch(() => undefined);
  }

  return transport;
}

function write(output: Writable, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Reads lines: calls `take` for each non-empty line, and `end` when the input ends. Returns a function that
 * stops reading.
 */
function readLines(input: Readable, take: (line: string) => void, end: () => void): () => void {
  let parts: Buffer[] = [];
  let bytes = 0;

  function receive(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString("utf8");
      parts = [];
      bytes = 0;
      from = at + 1;
      if (line.trim() !== "") take(line);
    }
    const rest = chunk.subarray(from);
    parts.push(rest);
    bytes += rest.length;
    if (bytes > lineBytesMax) stopAndEnd();
  }

  function stop(): void {
    input.off("data", receive);
    input.pause();
  }

  function stopAndEnd(): void {
    stop();
    end();
  }

  input.on("data", receive);
  for (const event of ["end", "close", "error"]) input.once(event, stopAndEnd);
  return stop;
}

function parse(line: string): unknown {
  try {
    return parseStrictJson(line);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return false;
  return "method" in value ? typeof value["method"] === "string" : "result" in value || "error" in value;
}

function isPong(message: JSONRPCMessage): boolean {
  return !("method" in message) && message.id === pingId;
}

function findCancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
