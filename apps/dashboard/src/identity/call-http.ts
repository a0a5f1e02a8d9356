import { MerkleError } from "@merkle/wire";
import { readPageHeaders } from "./page-token";

/**
 * Calls the broker over HTTP, for callers that have no connection yet or need a cookie set.
 *
 * @param headers - identify the caller (default: the page's own headers)
 * @throws MerkleError if the broker refuses the call, or `unavailable` if the broker cannot be reached
 */
export async function callHttp(
  method: "GET" | "POST",
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<unknown> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(headers ?? (await readPageHeaders())),
      ...(method === "POST" && { "content-type": "application/json" }),
    },
    ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
  }).catch((cause: unknown) => {
    throw new MerkleError("unavailable", "The broker could not be reached.", {}, { cause });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw MerkleError.fromBody(answer);
  return answer;
}
