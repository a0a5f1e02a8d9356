import type { IncomingMessage } from "node:http";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { parseJson } from "./parse-json.js";

/** Reads the bodies of requests, and holds no more of them at once than fit into its memory. */
export interface BodyReader {
  /**
   * Reads a request's JSON body; undefined when it has none. A web page can send other content types to us without asking
   * first, so they are read only where no browser can have sent them (AUTH-10).
   *
   * @throws bad_request; payload_too_large or unavailable without reading on
   */
  readJson(incoming: IncomingMessage): Promise<unknown>;
  /**
   * Reads a form, for what alone OAuth has no JSON: a page could send one without asking first, so nothing that a cookie
   * speaks for may be asked by it.
   *
   * @throws the same
   */
  readForm(incoming: IncomingMessage): Promise<URLSearchParams>;
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

  /** The body's text; empty without one. */
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

/** What curl says where its user named no type. */
function isUnset(type: string | undefined): boolean {
  return type === undefined || type === "application/x-www-form-urlencoded";
}

/** A browser names the page that sends a form by one of these, and a cookie is a browser's. */
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
  // The rest is thrown away unread, so that the answer can be read before the connection ends.
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
