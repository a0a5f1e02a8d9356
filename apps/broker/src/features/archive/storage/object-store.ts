import { createReadStream } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { MerkleError } from "@merkle/wire";
import aws4 from "aws4";
import type { ArchiveTarget } from "./archive-target.js";

/** A file to upload, with its size and hash. */
export interface FileToStore {
  readonly path: string;
  readonly size: number;
  readonly sha256: Buffer;
}

/** Objects in storage that is compatible with S3. Errors never contain the credentials. */
export interface ObjectStore {
  /** Returns the object's location, for use in messages shown to people. */
  toUrl(key: string): string;
  put(key: string, file: FileToStore, signal: AbortSignal): Promise<void>;
  /** Streams the bytes of an object. @throws conflict if the object does not exist */
  get(key: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes an object. Succeeds if it does not exist. */
  delete(key: string, signal: AbortSignal): Promise<void>;
}

/**
 * Limit of a single upload. Multipart upload is not implemented: a session of this size would have about ten
 * million messages.
 */
export const objectBytesMax = 5 * 1024 ** 3;

/** The connection is closed after this long without data. */
const silenceMsMax = 60_000;
const sha256OfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export function createObjectStore({
  endpoint,
  bucket,
  prefix,
  region,
  credentials,
}: ArchiveTarget): ObjectStore {
  const open = endpoint.protocol === "https:" ? httpsRequest : httpRequest;

  function begin(
    method: string,
    key: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): ClientRequest {
    const path = `/${[bucket, ...`${prefix}${key}`.split("/")].map(encodeURIComponent).join("/")}`;
    const { host, hostname, port } = endpoint;
    const signed = aws4.sign(
      { service: "s3", region, method, path, host, headers: { Host: host, ...headers } },
      credentials,
    );
    return open({
      ...{ method, path, port, signal, headers: signed.headers ?? {} },
      hostname: hostname.replace(/^\[|\]$/g, ""),
      timeout: silenceMsMax,
    });
  }

  async function sendRequest(
    method: string,
    key: string,
    { headers, file }: { readonly headers: Record<string, string>; readonly file?: FileToStore },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const request = begin(method, key, headers, signal);
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve).on("error", reject);
      request.on("timeout", () => request.destroy(new Error(`no response for ${silenceMsMax / 1_000} s`)));
    });
    // A server can refuse a request before it has read the whole file. Its response is then more informative
    // than the connection error.
    if (file) pipeline(createReadStream(file.path), request).catch(() => undefined);
    else request.end();
    return response.catch((cause: unknown) => {
      signal.throwIfAborted();
      throw storageFailure("does not respond", cause);
    });
  }

  return {
    toUrl: (key) => `s3://${bucket}/${prefix}${key}`,
    async put(key, file, signal) {
      const headers = {
        "Content-Length": String(file.size),
        "X-Amz-Content-Sha256": file.sha256.toString("hex"),
      };
      await requireSuccess(
        await sendRequest("PUT", key, { headers, file }, signal),
        "did not accept the file",
      );
    },
    async get(key, signal) {
      const headers = { "X-Amz-Content-Sha256": sha256OfNothing };
      const response = await sendRequest("GET", key, { headers }, signal);
      if (response.statusCode === 200) return readBytes(response, signal);
      await requireSuccess(response, `did not return ${prefix}${key}`);
      throw new TypeError("The storage returned only a part of an object.");
    },
    async delete(key, signal) {
      const headers = { "X-Amz-Content-Sha256": sha256OfNothing };
      const response = await sendRequest("DELETE", key, { headers }, signal);
      if (response.statusCode === 404) return void response.resume();
      await requireSuccess(response, `did not delete ${prefix}${key}`);
    },
  };
}

async function* readBytes(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (cause) {
    signal.throwIfAborted();
    throw storageFailure("closed the connection", cause);
  }
}

function storageFailure(what: string, cause: unknown): MerkleError {
  // If several addresses were tried, the combined error has an empty message. The error's code is then used
  // instead.
  const { message, code } = Object(cause);
  const reason = String(message || code || "unknown");
  return new MerkleError(
    "unavailable",
    `The archive's storage ${what}: ${reason}.`,
    { outcome: "none" },
    { cause },
  );
}

const refusalCharsMax = 64 * 1024;

/**
 * Checks a response from the storage.
 *
 * @throws conflict if the object does not exist, otherwise unavailable, with the storage's error code
 */
async function requireSuccess(response: IncomingMessage, what: string): Promise<void> {
  const { statusCode = 0 } = response;
  let text = "";
  // Reads the body to its end to free the connection.
  for await (const chunk of response) if (text.length < refusalCharsMax) text += String(chunk);
  if (statusCode >= 200 && statusCode < 300) return;
  const [, code = ""] = /<Code>(\w{1,100})<\/Code>/.exec(text) ?? [];
  throw new MerkleError(
    statusCode === 404 ? "conflict" : "unavailable",
    `The archive's storage ${what}: ${`${statusCode} ${code}`.trimEnd()}.`,
    { outcome: "none", status: statusCode, ...(code && { storage_code: code }) },
  );
}
