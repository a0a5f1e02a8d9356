import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import type { Readable } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { buildHeader, buildNumber } from "@merkle/wire/build";
import { isLoopback } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { toLoopback } from "./loopback.js";

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
  /** The certificates to trust for TLS, if they differ from Node's defaults. */
  readonly tls?: ConnectionOptions | undefined;
  readonly signal: AbortSignal;
}

/** A body that does not fit in memory. Opened again for each attempt to send it. */
export interface StreamedBody {
  readonly bytes: number;
  open(): Readable;
}

/** A complete response, with any status. */
export interface HttpResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /**
   * The broker's version and build. Undefined if the server is not a broker, or is a broker that predates
   * these headers.
   */
  readonly version: string | undefined;
  readonly build: string | undefined;
  /** Returns the text parsed as JSON, or null if it is not valid JSON. */
  json(): unknown;
}

const redirectsMax = 5;
const plainHttp = { request: plainRequest, Agent };

/** Far larger than any operation's reply: 500 messages, a document, or the OpenAPI description. */
export const responseBytesMax = 64 * 1024 * 1024;

/**
 * Sends a request over HTTP or HTTPS and reads the whole response. Follows redirects within the same origin,
 * with the same method. Does not use `fetch`, because loading it takes longer than most commands run.
 *
 * @throws the signal's abort reason; the system's error with its `code` if there is no response; CliError
 * `redirected` for a redirect to another origin
 */
export async function requestHttp(url: string, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await readResponse(await openHttp(url, request));
  } catch (error) {
    request.signal.throwIfAborted();
    throw error;
  }
}

/**
 * Sends a request like `requestHttp`, but resolves once the response's headers arrive. The caller reads the
 * body as a stream.
 */
export async function openHttp(url: string, request: HttpRequest): Promise<IncomingMessage> {
  let at = new URL(url);
  for (let redirects = 0; ; redirects += 1) {
    const response = await ask(at, request);
    const { location } = response.headers;
    if (location === undefined || !isRedirect(getStatus(response)) || redirects === redirectsMax)
      return response;
    // The redirect's body is not needed and may be endless.
    response.destroy();
    const to = new URL(location, at);
    if (to.origin !== at.origin) throw redirectedElsewhere(at, to);
    at = to;
  }
}

/**
 * Returns the error for a redirect to another origin. Such a redirect is not followed, because the headers
 * and body contain credentials for the requested origin.
 */
function redirectedElsewhere(at: URL, to: URL): CliError {
  return new CliError(
    "redirected",
    `${at.origin} redirects to ${to.origin}. Credentials are not sent there. Use that address if it is the broker's.`,
    { exitCode: exitCodes.unreachable },
  );
}

/** Reads a whole response. @throws CliError `answer_too_long`, after closing the connection */
export async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw tooLong();
  }
  const text = Buffer.concat(chunks).toString();
  const status = getStatus(response);
  const version = response.headers["merkle-version"]?.toString();
  const build = response.headers[buildHeader]?.toString();
  return { ok: isOk(response), status, text, version, build, json: () => parseJson(text) };
}

function tooLong(): CliError {
  return new CliError(
    "answer_too_long",
    `The reply is larger than ${responseBytesMax / 1024 / 1024} MiB. Check that this is a broker's address: merkle doctor`,
    { exitCode: exitCodes.unreachable },
  );
}

export function isOk(response: IncomingMessage): boolean {
  return getStatus(response) >= 200 && getStatus(response) < 300;
}

function getStatus({ statusCode = 0 }: IncomingMessage): number {
  return statusCode;
}

async function ask(url: URL, request: HttpRequest): Promise<IncomingMessage> {
  try {
    return await send(url, request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw error;
  }
}

async function send(url: URL, request: HttpRequest): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body, tls = {}, signal } = request;
  const { request: start, Agent } = url.protocol === "https:" ? await import("node:https") : plainHttp;
  return new Promise((resolve, reject) => {
    const clientRequest: ClientRequest = start(
      url,
      {
        ...tls,
        ...(isLoopback(url.hostname) && { ...toLoopback, agent: getDirectAgent(url.protocol, Agent) }),
        method,
        headers: { [buildHeader]: String(buildNumber), ...headers, ...toLengthHeader(body) },
        signal,
      },
      resolve,
    );
    // The server may close a reused connection just as the request starts. Every request sent by this module
    // can safely be repeated.
    clientRequest.on("error", (error) =>
      clientRequest.reusedSocket && !signal.aborted ? resolve(send(url, request)) : reject(error),
    );
    if (typeof body !== "object") clientRequest.end(body);
    else sendStreamed(body.open(), clientRequest, reject);
  });
}

const directAgents = new Map<string, Agent>();

/**
 * Returns a keep-alive agent like Node's default agent, but without a proxy. Node's own agent would use the
 * proxy from `HTTP_PROXY`.
 */
function getDirectAgent(protocol: string, AgentClass: typeof Agent): Agent {
  const agent =
    directAgents.get(protocol) ?? new AgentClass({ keepAlive: true, scheduling: "lifo", timeout: 5_000 });
  directAgents.set(protocol, agent);
  return agent;
}

/** Sends a streamed body. If a response such as a refusal arrives early, the upload ends without an error. */
function sendStreamed(body: Readable, clientRequest: ClientRequest, reject: (error: unknown) => void): void {
  body.on("error", (error) => {
    reject(error);
    clientRequest.destroy();
  });
  clientRequest.once("close", () => body.destroy());
  body.pipe(clientRequest);
}

function toLengthHeader(body: HttpRequest["body"]): Record<string, number> {
  if (body === undefined) return {};
  return { "content-length": typeof body === "string" ? Buffer.byteLength(body) : body.bytes };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 307 || status === 308;
}
