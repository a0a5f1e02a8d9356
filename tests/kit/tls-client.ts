import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import type { WebSocketClass } from "@merkle/wire/client";
import { WebSocket } from "ws";

/** A client that connects to this machine under another host name, and trusts only one certificate. */
export interface TlsClient {
  ask(path: string, options?: TlsRequestOptions): Promise<Answer>;
  /** Sends a request. Resolves with the response before its body has arrived. */
  open(path: string, options?: TlsRequestOptions): Promise<IncomingMessage>;
  /** Upgrades to a WebSocket, and returns the raw stream. */
  upgrade(path: string, options?: TlsRequestOptions): Promise<Duplex>;
  readonly WebSocket: WebSocketClass;
}

export interface TlsRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function createTlsClient(url: string, ca: string): TlsClient {
  const base = new URL(url);
  const { hostname, port } = base;
  // Connects to this machine regardless of the host name in the URL.
  const here = { host: "127.0.0.1", port, servername: hostname, ca, agent: false };

  function start(path: string, { method = "GET", headers = {}, body }: TlsRequestOptions) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const asking = request({
      ...here,
      path,
      method,
      headers: {
        host: hostname,
        ...(text !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
    });
    asking.end(text);
    return asking;
  }

  const open: TlsClient["open"] = (path, options = {}) =>
    new Promise((resolve, reject) => {
      start(path, options).on("response", resolve).on("error", reject);
    });

  return {
    open,
    async ask(path, options) {
      const response = await open(path, options);
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      const { statusCode: status = 0, headers } = response;
      return { status, headers, text: Buffer.concat(chunks).toString() };
    },
    upgrade: (path, options = {}) =>
      new Promise((resolve, reject) => {
        const headers = {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          ...options.headers,
        };
        start(path, { ...options, headers })
          .on("upgrade", (_response, socket) => resolve(socket))
          .on("response", (response) => reject(new Error(`It answered ${response.statusCode}.`)))
          .on("error", reject);
      }),
    WebSocket: class extends WebSocket {
      constructor(address: string) {
        super(address, {
          ca,
          lookup: (_name, options, done) =>
            options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
        });
      }
    },
  };
}
