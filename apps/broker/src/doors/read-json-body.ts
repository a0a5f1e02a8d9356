import type { IncomingMessage } from "node:http";
import { limits, MerkleError } from "@merkle/wire";
import { parseJson } from "./parse-json.js";

/**
 * Reads a request's JSON body; undefined when it has none. A web page can send other content types to us without asking
 * first, so only JSON is read at all (AUTH-10).
 *
 * @throws bad_request, or payload_too_large without reading on
 */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const {
    "content-type": contentType,
    "content-length": length,
    "transfer-encoding": encoding,
  } = incoming.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return undefined;
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new MerkleError(
      "bad_request",
      `The body must be JSON with Content-Type: application/json; got ${contentType ?? "no Content-Type"}.`,
    );
  }
  if (Number(length) > limits.httpBodyBytesMax) throw tooLarge(incoming);
  const text = await readText(incoming);
  if (text.trim() === "") return undefined;
  return parseJson(text);
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not end the connection: the answer still has to go out on it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limits.httpBodyBytesMax) throw tooLarge(incoming);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new MerkleError("bad_request", "The body is not UTF-8.");
  }
}

function tooLarge(incoming: IncomingMessage): MerkleError {
  // The rest is thrown away unread, so that the answer can be read before the connection ends.
  incoming.resume();
  return new MerkleError("payload_too_large", `A body may have ${limits.httpBodyBytesMax} bytes at most.`, {
    bytes_max: limits.httpBodyBytesMax,
  });
}
