import type { IncomingMessage } from "node:http";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { parseJson } from "./parse-json.js";

/** Reads request bodies, and limits how much memory they use together. */
export interface BodyReader {
  /**
   * Reads a request's JSON body. Returns undefined if there is no body. Web pages can send other content
   * types without a preflight request, so other types are accepted only if no browser can have sent the
   * request (AUTH-10).
   *
   * @throws bad_request; payload_too_large or unavailable, without reading the rest of the body
   */
  readJson(incoming: IncomingMessage): Promise<unknown>;
  /**
   * Reads a form, which OAuth requires instead of JSON. Web pages can send forms without a preflight request,
   * so an operation that can be authorised by a cookie must not accept a form.
   *
   * @throws the same errors as `readJson`
   */
  readForm(incoming: IncomingMessage): Promise<URLSearchParams>;
}

/**
 * Creates the body reader that all transports share. Slow senders of large bodies could otherwise fill the
 * memory together (GUARD-9).
 */
export function createBodyReader(bytesMax: number = limits.bodiesBytesMax): BodyReader {
  let bufferedBytes = 0;

  async function readText(incoming: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // The connection must stay open when the loop ends early, because the reply is still sent on it.
      for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        bufferedBytes += chunk.length;
        if (bytes > limits.httpBodyBytesMax) throw tooLarge(incoming);
        if (bufferedBytes > bytesMax) throw tooMuchAtOnce(incoming);
        chunks.push(chunk);
      }
    } finally {
      bufferedBytes -= bytes;
    }
    return decode(Buffer.concat(chunks));
  }

  /** Returns the body's text, or "" if there is no body. */
  async function readTyped(incoming: IncomingMessage, type: string): Promise<string> {
    const {
      "content-type": contentType,
      "content-length": length,
      "transfer-encoding": encoding,
    } = incoming.headers;
    if (encoding === undefined && (length === undefined || Number(length) === 0)) return "";
    const mediaType = contentType?.split(";")[0]?.trim().toLowerCase();
    if (mediaType !== type && !(isUnset(mediaType) && isFromNoBrowser(incoming))) {
      throw new MerkleError(
        "bad_request",
        `Expected a body with Content-Type: ${type}, got ${contentType ?? "no Content-Type"}.`,
      );
    }
    if (Number(length) > limits.httpBodyBytesMax) throw tooLarge(incoming);
    return readText(incoming);
  }

  return {
    async readJson(incoming) {
      const text = await readTyped(incoming, "application/json");
      return text.trim() === "" ? undefined : parseJson(text);
    },
    readForm: async (incoming) =>
      new URLSearchParams(await readTyped(incoming, "application/x-www-form-urlencoded")),
  };
}

/** Returns whether the content type is missing or is the one that curl sends by default. */
function isUnset(type: string | undefined): boolean {
  return type === undefined || type === "application/x-www-form-urlencoded";
}

/** Headers that only browsers send. A form sent by a page has at least one of these headers. */
const browserHeaders = /^(origin|referer|cookie|sec-fetch-.*)$/;

function isFromNoBrowser({ headers }: IncomingMessage): boolean {
  return !Object.keys(headers).some((name) => browserHeaders.test(name));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new MerkleError("bad_request", "The body is not UTF-8.");
  }
}

function tooLarge(incoming: IncomingMessage): MerkleError {
  // The rest of the body is discarded, so that the client can read the reply before the connection closes.
  incoming.resume();
  return new MerkleError(
    "payload_too_large",
    `The body is too large: the limit is ${limits.httpBodyBytesMax} bytes.`,
    {
      bytes_max: limits.httpBodyBytesMax,
    },
  );
}

function tooMuchAtOnce(incoming: IncomingMessage): MerkleError {
  incoming.resume();
  return new MerkleError(
    "unavailable",
    "The broker is busy with other large requests. Send it again in a moment.",
    { outcome: "none", retry_after_s: 2 },
  );
}
