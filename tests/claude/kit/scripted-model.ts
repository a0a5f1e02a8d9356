import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { Cleanup } from "../../kit/test-database.js";
import { type Answer, obey } from "./obey.js";
import { isSideRequest, type ModelPrompt, type ModelRequest, toShown } from "./shown.js";

/** One agent's scripted model: a local Messages API server that records its requests. */
export interface ScriptedModel {
  readonly url: string;
  /** The requests in the main conversation, oldest first. */
  readonly requests: readonly ModelPrompt[];
  /** The requests from subagents. */
  readonly bySubagents: readonly ModelPrompt[];
  /** Resolves with the first past or future request whose new content matches. */
  waitFor(news: string | RegExp, within?: { from?: number }): Promise<ModelPrompt>;
  /** Delays the reply to the next matching request until `release` is called. */
  delayReply(news: string | RegExp): DelayedReply;
  /**
   * Replies to matching requests with an error, which ends the client's turn. Returns a function that stops the
   * refusals.
   */
  refuse(news: string | RegExp): () => void;
  /** Resolves when the model has given its final reply to every request. */
  rests(): Promise<void>;
  /** True if no final reply is pending. */
  readonly isResting: boolean;
  /** The current conversation without the model's own replies. */
  readonly conversation: string;
}

export interface DelayedReply {
  readonly reached: Promise<ModelPrompt>;
  release(): void;
}

interface Waiting {
  readonly matches: (news: string) => boolean;
  readonly reach: (shown: ModelPrompt) => void;
  readonly gone: Promise<void>;
}

/** The format of a client's model requests. {@link messagesApi} is Claude Code's format. */
export interface Dialect {
  /** The suffix of the request path. */
  readonly path: string;
  read(body: string): ModelRequest;
  write(response: ServerResponse, request: ModelRequest, answer: ModelReply): void;
}

export type ModelReply = Exclude<Answer, { readonly refusal: string }>;

export interface ScriptedModelOptions {
  /** Chooses the reply. Default: {@link obey}. */
  readonly decide?: (shown: ModelPrompt) => Answer | Promise<Answer>;
  readonly dialect?: Dialect;
}

export async function startScriptedModel(
  cleanup: Cleanup,
  { decide = obey, dialect = messagesApi }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const requests: ModelPrompt[] = [];
  const bySubagents: ModelPrompt[] = [];
  const ponderings = new Set<Waiting>();
  const refusals = new Set<(news: string) => boolean>();
  const asked = { unanswered: 0, isTurnOver: true };

  async function think(request: ModelRequest, body: string): Promise<Answer> {
    if (isSideRequest(request)) return { text: '{"title":"A test"}' };
    const shown = toShown(request, { atMs: performance.now(), bytes: Buffer.byteLength(body) });
    if (shown.bySubagent) {
      bySubagents.push(shown);
      return decide(shown);
    }
    requests.push(shown);
    asked.unanswered += 1;
    await ponder(shown);
    const answered = findRefusal(shown) ?? (await decide(shown));
    asked.unanswered -= 1;
    asked.isTurnOver = !("calls" in answered);
    return answered;
  }

  async function ponder(shown: ModelPrompt): Promise<void> {
    for (const pondering of ponderings) {
      if (!pondering.matches(shown.news)) continue;
      ponderings.delete(pondering);
      pondering.reach(shown);
      await pondering.gone;
    }
  }

  function findRefusal({ news }: ModelPrompt): Answer | undefined {
    const isRefused = [...refusals].some((matches) => matches(news));
    return isRefused ? { refusal: "This request is refused." } : undefined;
  }

  const server = createServer((request, response) => {
    // Rejections are not caught, because a bug in `serve` must fail the run instead of looking like a busy model.
    void serve(request, response, { dialect, think });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup(async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  });
  // The server listens on a TCP port, so its address is an object.
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bySubagents,
    async waitFor(news, { from = 0 } = {}) {
      const find = () => requests.slice(from).find((shown) => createMatcher(news)(shown.news));
      await expect.poll(find, { message: `The model was never shown ${news}.` }).toBeDefined();
      // The poll above has found the request, so `find` returns it again.
      return find() as ModelPrompt;
    },
    delayReply(news) {
      const reached = withResolvers<ModelPrompt>();
      const gone = withResolvers<void>();
      ponderings.add({ matches: createMatcher(news), reach: reached.resolve, gone: gone.promise });
      return { reached: reached.promise, release: gone.resolve };
    },
    refuse(news) {
      const matches = createMatcher(news);
      refusals.add(matches);
      return () => void refusals.delete(matches);
    },
    async rests() {
      await expect.poll(() => asked.unanswered === 0 && asked.isTurnOver).toBe(true);
    },
    get isResting() {
      return asked.unanswered === 0 && asked.isTurnOver;
    },
    get conversation() {
      return requests.at(-1)?.conversation ?? "";
    },
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function createMatcher(pattern: string | RegExp): (text: string) => boolean {
  return (text) => (typeof pattern === "string" ? text.includes(pattern) : pattern.test(text));
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, think }: { dialect: Dialect; think: (request: ModelRequest, body: string) => Promise<Answer> },
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://model");
  const body = await text(request).catch(() => undefined);
  // The client disconnected during its request.
  if (body === undefined) return;
  if (pathname.endsWith("/count_tokens")) return sendJson(response, 200, { input_tokens: 1_000 });
  if (request.method !== "POST" || !pathname.endsWith(dialect.path))
    return sendJson(response, request.method === "HEAD" ? 200 : 404, {});
  const asked = dialect.read(body);
  const answer = await think(asked, body);
  if ("refusal" in answer) {
    const error = { type: "invalid_request_error", message: answer.refusal };
    return sendJson(response, 400, { type: "error", error });
  }
  dialect.write(response, asked, answer);
}

const messagesApi: Dialect = {
  path: "/v1/messages",
  // The client always sends a request of this shape.
  read: (body) => JSON.parse(body) as ModelRequest,
  write(response, asked, answer) {
    const message = toMessage(asked.model, answer);
    if (asked.stream) stream(response, message);
    else sendJson(response, 200, message);
  },
};

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function toMessage(model: string, answer: ModelReply) {
  const content =
    "text" in answer
      ? [{ type: "text" as const, text: answer.text }]
      : answer.calls.map(({ tool, input }) => ({
          type: "tool_use" as const,
          id: `toolu_${randomUUID().replaceAll("-", "")}`,
          name: tool,
          input,
        }));
  return {
    id: `msg_${randomUUID().replaceAll("-", "")}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: "text" in answer ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  };
}

/** Sends the message as a stream of events. */
function stream(response: ServerResponse, message: ReturnType<typeof toMessage>): void {
  const { content, stop_reason, usage } = message;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, fields: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    send("content_block_start", {
      index,
      content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
    });
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop");
  response.end();
}
