import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Cleanup } from "./test-database.js";

/** A chat completions API like OpenAI's, which one test controls. */
export interface ModelServer {
  /** The base URL to configure. */
  readonly url: string;
  /** The requests so far, in order. */
  readonly requests: readonly CompletionRequest[];
  /** Sends the response to each request. */
  answer: (response: ServerResponse, asked: CompletionRequest) => void;
}

export interface CompletionRequest {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly temperature?: number;
  };
}

export async function startModelServer(cleanup: Cleanup): Promise<ModelServer> {
  const requests: CompletionRequest[] = [];
  const http = createServer(async (request, response) => {
    const { url: path, headers } = request;
    const each: CompletionRequest = { path, headers, body: JSON.parse(await text(request)) };
    requests.push(each);
    server.answer(response, each);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  cleanup(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { port } = http.address() as AddressInfo; // The server listens on TCP, so this is an address and port.
  const server: ModelServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answer: replyWithText("Summarised."),
  };
  return server;
}

/** Returns a handler that replies with this text. */
export function replyWithText(content: string | null): ModelServer["answer"] {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
  return replyWithBody(200, { id: "1", object: "chat.completion", created: 0, model: "m", choices });
}

export function replyWithBody(status: number, body: unknown): ModelServer["answer"] {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
