import { MerkleError } from "@merkle/wire";
import { pageHeaders } from "./page-token";

/**
 * Asks the broker something over HTTP, as those do who have no connection yet, or want the cookie changed.
 *
 * @param headers - say who asks; the page's own unless given
 * @throws MerkleError the broker's refusal; `unavailable` when it could not be reached
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
      ...(headers ?? (await pageHeaders())),
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
