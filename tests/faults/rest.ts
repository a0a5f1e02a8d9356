import { type ErrorCode, MerkleError } from "@merkle/wire";

/** The connection broke or the response was incomplete, so the outcome of the call is unknown. */
export class Broken extends Error {
  override readonly name = "Broken";

  /** True if the call certainly did not reach a broker because nothing was listening. */
  get wasRefused(): boolean {
    return Object(Object(this.cause).cause).code === "ECONNREFUSED";
  }
}

export interface RestCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly credential: string;
  readonly body?: object;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/**
 * Makes one REST call, as curl would.
 *
 * @throws MerkleError with the broker's error; Broken if the response is missing or incomplete
 */
export async function callRest({ method, url, credential, body, accept, signal }: RestCall): Promise<string> {
  const response = await fetch(url, {
    method,
    headers: {
      "x-team-id": credential,
      ...(accept === undefined ? {} : { accept }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(rethrowBroken(signal));
  const text = await response.text().catch(rethrowBroken(signal));
  if (response.ok) return text;
  // If a node exits before replying, the proxy returns its own error page.
  if (!isJson(response)) throw new Broken(`A proxy answered ${response.status}.`);
  throw MerkleError.fromBody(JSON.parse(text));
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") ?? false;
}

/** True if the same call can be retried after this error. */
export function canRepeat(error: unknown): boolean {
  return error instanceof Broken || (error instanceof MerkleError && repeatable.has(error.code));
}

const repeatable: ReadonlySet<ErrorCode> = new Set(["unavailable", "too_many_requests"]);

function rethrowBroken(signal: AbortSignal | undefined): (cause: unknown) => never {
  return (cause) => {
    signal?.throwIfAborted();
    throw new Broken("The connection broke.", { cause });
  };
}
