import { MerkleError, type MessageFile } from "@merkle/wire";
import { readPageHeaders } from "@/identity/page-token";

/** A file of a message. Only the message makes the file readable. */
export interface FilePlace {
  readonly sessionId: string;
  readonly sequence: number;
  readonly file: MessageFile;
}

/**
 * Fetches a message's file as a blob, which browsers keep on disk if it is large.
 *
 * @throws MerkleError if the broker refuses, or `unavailable` if it cannot be reached
 */
export async function fetchFile(place: FilePlace, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(toFileAddress(place), { signal, headers: await readPageHeaders() }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw new MerkleError("unavailable", "The broker could not be reached.", {}, { cause });
    },
  );
  if (!response.ok) throw MerkleError.fromBody(await response.json().catch(() => null));
  return response.blob();
}

function toFileAddress({ sessionId, sequence, file }: FilePlace): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/messages/${sequence}/files/${file.digest}`;
}

/** Saves a file under its name. @throws as in `fetchFile` */
export async function saveFile(place: FilePlace, signal: AbortSignal): Promise<void> {
  const address = URL.createObjectURL(await fetchFile(place, signal));
  Object.assign(document.createElement("a"), { href: address, download: place.file.name }).click();
  // Delayed to the next turn of the event loop, when the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(address));
}
