import { type MessageFile, toFileName } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describeBytes } from "@merkle/wire/text";
import type { BrokerClient } from "../../broker/broker-client.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { toOneLine } from "../../text/one-line.js";
import type { OpenFile } from "./attachable-file.js";

export interface UploadOptions {
  readonly sessionId: string;
  /** Opens a file, or refuses to. */
  readonly open: (path: string) => Promise<OpenFile>;
  /** Returns the client that uploads as the author of the message. Called only if no file is refused. */
  readonly findClient: () => Promise<Pick<BrokerClient, "upload">>;
  readonly signal: AbortSignal;
  readonly onProgress?: ((name: string, done: number, total: number) => void) | undefined;
}

/**
 * Uploads files for a message, and returns what the message says about each. All files are opened before the first is
 * sent, so that nothing is sent if one of them is refused (ATTACH-26).
 *
 * @throws CliError `payload_too_large` for too many files or a file that is too large
 */
export async function uploadFiles(
  paths: readonly string[],
  { sessionId, open, findClient, signal, onProgress }: UploadOptions,
): Promise<MessageFile[]> {
  if (paths.length > limits.attachmentsMax)
    throw tooLarge(
      `A message can have at most ${limits.attachmentsMax} files, and these are ${paths.length}.`,
    );
  const files: OpenFile[] = [];
  try {
    for (const path of paths) {
      const file = await open(path);
      files.push(file);
      if (file.size > limits.attachmentBytesMax)
        throw tooLarge(
          `${path} has ${describeBytes(file.size)}, and a file can have at most ${describeBytes(limits.attachmentBytesMax)}.`,
        );
    }
    const client = await findClient();
    const uploaded: MessageFile[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      uploaded.push(await uploadFile(client, file, { sessionId, onProgress }));
    }
    return uploaded;
  } finally {
    await Promise.all(files.map(({ handle }) => handle.close()));
  }
}

/** Returns the path at which the broker serves a file of a message. */
export function toFilePath(sessionId: string, sequence: number, digest: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/messages/${sequence}/files/${encodeURIComponent(digest)}`;
}

async function uploadFile(
  client: Pick<BrokerClient, "upload">,
  { name, size, handle }: OpenFile,
  { sessionId, onProgress }: Pick<UploadOptions, "sessionId" | "onProgress">,
): Promise<MessageFile> {
  const open = () => {
    let sent = 0;
    // The length was announced. Bytes that another program appends meanwhile are not part of the file.
    const bytes = handle.createReadStream({ start: 0, end: Math.max(0, size - 1), autoClose: false });
    return bytes.on("data", (chunk) => {
      sent += chunk.length;
      onProgress?.(toOneLine(name), sent, size);
    });
  };
  const path = `/api/sessions/${encodeURIComponent(sessionId)}/files?name=${encodeURIComponent(toFileName(name))}`;
  const reply = await client.upload(path, {
    method: "PUT",
    contentType: "application/octet-stream",
    bytes: size,
    open,
  });
  return reply as MessageFile; // The type of the reply as its operation declares it (CAT-1).
}

function tooLarge(message: string): CliError {
  return new CliError("payload_too_large", `${message} Nothing was sent.`, { exitCode: exitCodes.usage });
}
