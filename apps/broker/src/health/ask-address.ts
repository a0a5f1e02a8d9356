import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** What an address answered. */
export interface Answer {
  readonly status: number;
  /** Its JSON; null when it is none, or too long to be what was asked for. */
  readonly body: unknown;
}

/** The address gave no answer; the message says why, for people. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

const silentMsMax = 3_000;
const bodyBytesMax = 64 * 1024;

/**
 * Asks an address once, without following where it sends its callers.
 *
 * @param options.host - the Host header, where it is another than the address's
 * @throws UnreachableError when there is no answer within 3 s
 */
export async function askAddress(
  address: URL,
  { signal, host }: { readonly signal: AbortSignal; readonly host?: string },
): Promise<Answer> {
  const deadline = AbortSignal.timeout(silentMsMax);
  try {
    const response = await send(address, AbortSignal.any([signal, deadline]), host);
    return { status: response.statusCode ?? 0, body: parse(await readBody(response)) };
  } catch (error) {
    signal.throwIfAborted();
    throw new UnreachableError(
      deadline.aborted ? "Nothing answered there within 3 seconds." : explain(error),
      {
        cause: error,
      },
    );
  }
}

function send(address: URL, signal: AbortSignal, host: string | undefined): Promise<IncomingMessage> {
  const request = address.protocol === "https:" ? requestHttps : requestHttp;
  const headers = { accept: "application/json", connection: "close", ...(host !== undefined && { host }) };
  return new Promise((resolve, reject) => {
    request(address, { signal, headers, agent: false }, resolve).once("error", reject).end();
  });
}

/** What of the body may be read; null when it is longer. */
async function readBody(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // What is no JSON is nobody's app-info.
    return null;
  }
}

function explain(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ECONNREFUSED":
      return "Nothing listens there.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "This machine knows no host of that name.";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return "This machine cannot reach that host.";
    case "ECONNRESET":
    case "EPIPE":
      return "The connection was closed without an answer.";
    default:
      if (/CERT|SIGNED|ALTNAME|ISSUER/.test(code)) return `Its certificate is not trusted (${code}).`;
      if (/^(?:HPE_|EPROTO|ERR_SSL)/.test(code))
        return "What answers there does not speak the address's protocol.";
      return `The connection failed${code === "" ? "" : ` (${code})`}.`;
  }
}
