import { type ClientRequest, request as plainRequest } from "node:http";
import type { ConnectionOptions } from "node:tls";

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What a connection over TLS believes, where that is not what Node believes by itself. */
  readonly tls?: ConnectionOptions | undefined;
  /** Told of each address that a redirect leads to, before it is asked; may throw. */
  readonly onRedirect?: (to: URL) => void;
  readonly signal: AbortSignal;
}

/** An answer, whatever its status, once all of it has come. */
export interface HttpAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /** What the text is as JSON; null when it is none. */
  json(): unknown;
}

const redirectsMax = 5;

/**
 * Asks over HTTP or HTTPS and follows redirects, with the same method. It is not `fetch`, because loading that takes longer
 * than most commands take in all.
 *
 * @throws what the signal was aborted with; the system's error, with its `code`, when there is no answer
 */
export async function requestHttp(url: string, request: HttpRequest): Promise<HttpAnswer> {
  let at = new URL(url);
  let asking = request;
  for (let redirects = 0; ; redirects += 1) {
    const { location, ...answer } = await ask(at, asking);
    if (location === undefined || redirects === redirectsMax) return answer;
    const to = new URL(location, at);
    request.onRedirect?.(to);
    if (to.hostname !== at.hostname) asking = withoutProof(asking);
    at = to;
  }
}

/** What proves who asks is for the host that was asked, not for one that it names. */
function withoutProof({ headers = {}, ...request }: HttpRequest): HttpRequest {
  const { authorization: _token, "x-team-id": _credential, ...others } = headers;
  return { ...request, headers: others };
}

interface Answered extends HttpAnswer {
  /** Where to ask instead. */
  readonly location: string | undefined;
}

async function ask(url: URL, request: HttpRequest): Promise<Answered> {
  try {
    return await send(url, request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw error;
  }
}

async function send(url: URL, request: HttpRequest): Promise<Answered> {
  const { method = "GET", headers = {}, body, tls = {}, signal } = request;
  const start = url.protocol === "https:" ? (await import("node:https")).request : plainRequest;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const asking: ClientRequest = start(
      url,
      { ...tls, method, headers: { ...headers, ...length }, signal },
      (response) => {
        const { statusCode: status = 0, headers: said } = response;
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            ok: status >= 200 && status < 300,
            status,
            text,
            json: () => parseJson(text),
            location: isRedirect(status) ? said.location : undefined,
          });
        });
      },
    );
    // A connection that was kept may end just as it is used again; whatever asks here may ask twice.
    asking.on("error", (error) => (asking.reusedSocket ? resolve(send(url, request)) : reject(error)));
    asking.end(body);
  });
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
