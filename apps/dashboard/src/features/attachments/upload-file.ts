import { isObject, MerkleError, type MessageFile } from "@merkle/wire";
import { useCallback } from "react";
import { useBroker } from "@/broker/use-broker";
import { readPageHeaders } from "@/identity/page-token";
import { requirePerson } from "@/identity/require-person";

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** Called with the number of bytes that have been sent. */
  readonly onBytes: (bytes: number) => void;
}

/** Uploads a file, so that a message of this person can name it. */
export type Upload = (file: File, options: UploadOptions) => Promise<MessageFile>;

/** Returns a function that uploads files to a session as the person who uses this browser. Asks for a name first, if needed. */
export function useUpload(sessionId: string): Upload {
  const broker = useBroker();
  return useCallback(
    async (file, options) => {
      const person = (await broker.takesCredential("post_message")) ? await requirePerson() : null;
      const headers = {
        ...(await readPageHeaders()),
        ...(person && { "x-team-id": person.credential }),
        "content-type": "application/octet-stream",
      };
      const address = `/api/sessions/${encodeURIComponent(sessionId)}/files?name=${encodeURIComponent(file.name)}`;
      return put(address, { file, headers, ...options });
    },
    [broker, sessionId],
  );
}

interface PutRequest extends UploadOptions {
  readonly file: File;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a file. Not with `fetch`, which does not report how much has been sent. */
function put(address: string, { file, headers, signal, onBytes }: PutRequest): Promise<MessageFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.responseType = "json";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onBytes(loaded);
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status >= 200 && request.status < 300 && isObject(answer))
        resolve(answer as unknown as MessageFile); // The broker's reply has this type.
      else reject(MerkleError.fromBody(answer));
    };
    request.onerror = () => reject(new MerkleError("unavailable", "The broker could not be reached."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    signal.throwIfAborted();
    request.send(file);
  });
}
