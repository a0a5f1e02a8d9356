import { type ErrorCode, MerkleError } from "@merkle/wire";

/** The connection broke, or the answer did not come in full: whether anything was done is not known. */
export class Broken extends Error {
  override readonly name = "Broken";

  /** Whether it is known that nobody heard the call: nothing listened. */
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
 * One REST call, as curl would make it.
 *
 * @throws MerkleError as the broker told it; Broken when it told nothing
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
  // A proxy whose node was gone before it had answered says so in its own words.
  if (!isJson(response)) throw new Broken(`A proxy answered ${response.status}.`);
  throw MerkleError.fromBody(JSON.parse(text));
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") ?? false;
}

/** Whether the same call can simply be made again. */
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
