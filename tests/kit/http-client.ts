import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * A client with its own connections, like a separate agent. `fetch` shares connections within the process, so a call by
 * one agent could use another agent's connection.
 */
export interface HttpClient {
  send(url: URL | string, options?: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

export function openHttpClient(): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const send: HttpClient["send"] = (url, { body = "", headers, ...options } = {}) =>
    new Promise((resolve, reject) => {
      // Node.js does not set Content-Length for DELETE. The server would then read the body as the next request.
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const said = { "user-agent": "merkle-tests", ...headers, ...length };
      const sent = request(url, { agent, headers: said, ...options }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk) => chunks.push(chunk))
          .once("error", reject)
          .once("end", () => {
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, headers, text: Buffer.concat(chunks).toString() });
          });
      });
      sent.once("error", (error: NodeJS.ErrnoException) => {
        // The broker closed the idle connection before it received this request.
        if (sent.reusedSocket && error.code === "ECONNRESET")
          send(url, { body, ...(headers && { headers }), ...options }).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** Creates a client for each name when the name is first used. */
export function openHttpClients(): { of(name: string): HttpClient; close(): void } {
  const clients = new Map<string, HttpClient>();
  return {
    of(name) {
      const client = clients.get(name) ?? openHttpClient();
      clients.set(name, client);
      return client;
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}
