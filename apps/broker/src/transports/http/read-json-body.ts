import type { IncomingMessage } from "node:http";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { parseJson } from "./parse-json.js";

/** Reads the bodies of requests, and limits their total size in memory. */
export interface BodyReader {
  /**
   * Reads a request's JSON body. Returns undefined without a body. Web pages can send other content types without a
   * preflight request, so those are accepted only if no browser can have sent them (AUTH-10).
   *
   * @throws bad_request; payload_too_large or unavailable without reading the rest
   */
  readJson(incoming: IncomingMessage): Promise<unknown>;
  /**
   * Reads a form, which only OAuth requires instead of JSON. Web pages can send forms without a preflight request, so no
   * operation that a cookie authorises may accept a form.
   *
   * @throws the same errors as `readJson`
   */
  readForm(incoming: IncomingMessage): Promise<URLSearchParams>;
}

/**
 * Creates the body reader for all transports. Slow senders of large bodies could otherwise fill the memory together
 * (GUARD-9).
 */
export function createBodyReader(bytesMax: number = limits.bodiesBytesMax): BodyReader {
  let held = 0;

  async function readText(incoming: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // Leaving the loop must not destroy the connection, because the reply is still sent on it.
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

  /** Returns the body's text, or "" without a body. */
  async function readTyped(incoming: IncomingMessage, type: string): Promise<string> {
    const {
      "content-type": contentType,
      "content-length": length,
      "transfer-encoding": encoding,
    } = incoming.headers;
    if (encoding === undefined && (length === undefined || Number(length) === 0)) return "";
    const given = contentType?.split(";")[0]?.trim().toLowerCase();
    if (given !== type && !(isUnset(given) && isFromNoBrowser(incoming))) {
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

/** Returns whether the content type is missing, or the one that curl sends by default. */
function isUnset(type: string | undefined): boolean {
  return type === undefined || type === "application/x-www-form-urlencoded";
}

/** Headers that only browsers send: a form from a page has at least one of them. */
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
  // The rest is discarded, so that the client can read the reply before the connection ends.
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
