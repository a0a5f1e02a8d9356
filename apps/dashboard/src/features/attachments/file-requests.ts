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
export function fetchFile(place: FilePlace, signal: AbortSignal): Promise<Blob> {
  return inTurn(async () => {
    for (let attempts = 1; ; attempts += 1) {
      signal.throwIfAborted();
      try {
        return await requestFile(place, signal);
      } catch (error) {
        const seconds = error instanceof MerkleError ? Number(error.details["retry_after_s"]) : Number.NaN;
        if (Number.isNaN(seconds) || attempts === attemptsMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      }
    }
  });
}

const attemptsMax = 5;

/** As many as the broker sends to one caller at once. More requests would only hold connections while they wait. */
const atOnceMax = 4;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  if (running < atOnceMax) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await run();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

async function requestFile(place: FilePlace, signal: AbortSignal): Promise<Blob> {
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
