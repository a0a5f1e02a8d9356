import { X509Certificate } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { InnerAddressError } from "../../core/inner-addresses.js";

/** The response to one request. */
export interface AddressResponse {
  readonly status: number;
  /** The parsed JSON. Null if the body is not JSON or is too long. */
  readonly body: unknown;
  /** The body's text. Null if the body is too long. */
  readonly text: string | null;
}

/** Thrown if an address does not respond. The message explains the reason to people. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  /**
   * Whether a server responded but the request was not sent, because its certificate is not trusted.
   */
  readonly isUntrusted: boolean;

  constructor(
    message: string,
    { isUntrusted = false, ...options }: ErrorOptions & { isUntrusted?: boolean } = {},
  ) {
    super(message, options);
    this.isUntrusted = isUntrusted;
  }
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** The Host header to send, if it differs from the address. */
  readonly host?: string | undefined;
  /** The only certificate to trust, in PEM, regardless of its issuer and names. */
  readonly pinned?: string | undefined;
  /** The headers and body to post. If omitted, a GET request is sent. */
  readonly post?: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer | string };
  /** Resolves a host name. May throw to refuse it. */
  readonly lookup?: LookupFunction | undefined;
  /** Response timeout in milliseconds (default: 3,000). */
  readonly silentMs?: number;
}

const bodyBytesMax = 64 * 1024;

/**
 * Sends one request to an address, without following redirects.
 *
 * @throws UnreachableError if there is no response in time
 */
export async function askAddress(address: URL, { signal, ...asking }: AskOptions): Promise<AddressResponse> {
  const { silentMs = 3_000 } = asking;
  const deadline = AbortSignal.timeout(silentMs);
  try {
    const response = await send(address, { ...asking, signal: AbortSignal.any([signal, deadline]) });
    const text = await readBody(response);
    return { status: response.statusCode ?? 0, body: parse(text), text };
  } catch (error) {
    signal.throwIfAborted();
    throw new UnreachableError(
      deadline.aborted ? `No server responded within ${silentMs / 1000} seconds.` : explain(error),
      { cause: error, isUntrusted: isAboutCertificate(toErrorCode(error)) },
    );
  }
}

function send(address: URL, { signal, host, pinned, post, lookup }: AskOptions): Promise<IncomingMessage> {
  const request = address.protocol === "https:" ? requestHttps : requestHttp;
  const headers = {
    accept: "application/json",
    connection: "close",
    ...(host !== undefined && { host }),
    ...(post && { ...post.headers, "content-length": String(Buffer.byteLength(post.body)) }),
  };
  const trust = pinned === undefined ? {} : trustOnly(pinned);
  return new Promise((resolve, reject) => {
    request(
      address,
      { method: post ? "POST" : "GET", signal, headers, agent: false, ...(lookup && { lookup }), ...trust },
      resolve,
    )
      .once("error", reject)
      .end(post?.body);
  });
}

function trustOnly(pinned: string): ConnectionOptions {
  const own = new X509Certificate(pinned).raw;
  return {
    ca: pinned,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { raw }) => (raw.equals(own) ? undefined : new Error("another certificate")),
  };
}

/** Returns the body, or null if it is longer than the limit. */
async function readBody(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Returning from the loop closes the connection.
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // Callers treat a response that is not JSON as that of another program.
    return null;
  }
}

function toErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isAboutCertificate(code: string): boolean {
  return /CERT|SIGN|ALTNAME|ISSUER/.test(code);
}

function explain(error: unknown): string {
  if (error instanceof InnerAddressError) return error.message;
  const code = toErrorCode(error);
  switch (code) {
    case "ECONNREFUSED":
      return "No server is listening at this address.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "The host name could not be resolved.";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return "The broker's machine cannot reach this host.";
    case "ECONNRESET":
    case "EPIPE":
      return "The server closed the connection without a response.";
    default:
      if (isAboutCertificate(code)) return `Its certificate is not trusted (${code}).`;
      if (/^(?:HPE_|EPROTO|ERR_SSL)/.test(code))
        return "The server does not speak the protocol of this address.";
      return `The connection failed${code === "" ? "" : ` (${code})`}.`;
  }
}
