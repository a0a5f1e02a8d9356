import type { IncomingMessage } from "node:http";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { parseJson } from "./parse-json.js";

/** Reads the bodies of requests, and holds no more of them at once than fit into its memory. */
export interface BodyReader {
  /**
   * Reads a request's JSON body; undefined when it has none. A web page can send other content types to us without asking
   * first, so only JSON is read at all (AUTH-10).
   *
   * @throws bad_request; payload_too_large or unavailable without reading on
   */
  readJson(incoming: IncomingMessage): Promise<unknown>;
}

/** One for all transports: slow senders of large bodies would otherwise fill the memory together (GUARD-9). */
export function createBodyReader(bytesMax: number = limits.bodiesBytesMax): BodyReader {
  let held = 0;

  async function readText(incoming: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // Leaving the loop must not end the connection: the answer still has to go out on it.
      for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        held += chunk.length;
        if (bytes > limits.httpBodyBytesMax) throw tooLarge(incoming);
        if (held > bytesMax) throw tooMuchAtOnce(incoming);
        chunks.push(chunk);
      }
    } finally {
      held -= bytes;
    }
    return decode(Buffer.concat(chunks));
  }

  return {
    async readJson(incoming) {
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
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
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

function tooMuchAtOnce(incoming: IncomingMessage): MerkleError {
  incoming.resume();
  return new MerkleError(
    "unavailable",
    "The broker is reading as many large requests as it has room for. Send it again.",
    { outcome: "none", retry_after_s: 2 },
  );
}
