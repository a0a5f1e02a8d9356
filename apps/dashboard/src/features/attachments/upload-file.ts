import { isObject, MerkleError, type MessageFile, toFileName } from "@merkle/wire";
import { useCallback } from "react";
import { useBroker } from "@/broker/use-broker";
import { readPageHeaders } from "@/identity/page-token";
import { requirePerson } from "@/identity/require-person";

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** Called with the number of bytes that have been sent. */
  readonly onBytes: (bytes: number) => void;
}

/** A file with the id of its upload, by which an upload that broke off is continued. */
export interface SentFile {
  readonly file: File;
  readonly uploadId: string;
  /** True if an earlier attempt may have sent a part of the file. */
  readonly isContinued: boolean;
}

/** Uploads a file, so that a message of this person can name it. */
export type Upload = (sent: SentFile, options: UploadOptions) => Promise<MessageFile>;

/** Creates the id of an upload. Not with `randomUUID`, which browsers lack on pages without TLS. */
export function createUploadId(): string {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns a function that uploads files to a session as the person who uses this browser. Asks for a name first, if needed. */
export function useUpload(sessionId: string): Upload {
  const broker = useBroker();
  return useCallback(
    async ({ file, uploadId, isContinued }, { signal, onBytes }) => {
      const person = (await broker.takesCredential("post_message")) ? await requirePerson() : null;
      const headers = {
        ...(await readPageHeaders()),
        ...(person && { "x-team-id": person.credential }),
        "content-type": "application/octet-stream",
      };
      const query = new URLSearchParams({ name: toFileName(file.name), upload: uploadId });
      const address = `/api/sessions/${encodeURIComponent(sessionId)}/files?${query}`;
      const { size } = file;
      const ask = { "content-range": `bytes */${size}` };
      const earlier = isContinued
        ? await put(address, { body: null, headers: { ...headers, ...ask }, signal })
        : { received: 0 };
      if (isFile(earlier)) return earlier;
      const { received } = earlier;
      const rest = received === 0 ? {} : { "content-range": `bytes ${received}-${size - 1}/${size}` };
      const reply = await put(address, {
        body: file.slice(received),
        headers: { ...headers, ...rest },
        signal,
        onBytes: (bytes) => onBytes(received + bytes),
      });
      if (isFile(reply)) return reply;
      throw new MerkleError("unavailable", "The file did not arrive as a whole.");
    },
    [broker, sessionId],
  );
}

type Reply = MessageFile | { readonly received: number };

function isFile(reply: Reply): reply is MessageFile {
  return "digest" in reply;
}

interface PutRequest {
  readonly body: Blob | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onBytes?: UploadOptions["onBytes"];
}

/** Sends bytes of a file. Not with `fetch`, which does not report how much has been sent. */
function put(address: string, { body, headers, signal, onBytes }: PutRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.responseType = "json";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onBytes?.(loaded);
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status >= 200 && request.status < 300 && isObject(answer))
        resolve(answer as unknown as Reply); // The broker's reply has this type.
      else reject(MerkleError.fromBody(answer));
    };
    request.onerror = () => reject(new MerkleError("unavailable", "The broker could not be reached."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    signal.throwIfAborted();
    request.send(body);
  });
}
