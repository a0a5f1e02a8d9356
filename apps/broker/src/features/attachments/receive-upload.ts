import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  appendToUpload,
  findUpload,
  findViolatedConstraint,
  type StoredUpload,
  startUpload,
  type UploadKey,
} from "@merkle/db";
import { MerkleError, type MessageFile } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../../sessions/context.js";
import { readSteadily } from "../../transports/http/read-steadily.js";
import type { Services } from "../../transports/services.js";
import { completeUpload } from "./complete-upload.js";
import type { SentRange } from "./content-range.js";
import { fillChunks } from "./stored-bytes.js";

export interface UploadRequest {
  readonly name: string;
  readonly upload?: string | undefined;
  readonly sha256?: string | undefined;
  readonly keep_metadata: boolean;
}

export const bytesPerMegabyte = 1_000_000;

/**
 * Receives a file, or a part of one (ATTACH-1, ATTACH-2). Each chunk is stored as it arrives, so what has arrived before
 * a connection breaks need not be sent again.
 *
 * @returns the file once it is complete, before that the number of bytes that have arrived
 * @throws forbidden if the mesh has no room; conflict if the bytes do not continue the upload
 */
export async function receiveUpload(
  ctx: TeamContext<Services>,
  request: UploadRequest,
  { sent, incoming }: { readonly sent: SentRange; readonly incoming: IncomingMessage },
): Promise<MessageFile | { readonly received: number }> {
  const { orm } = ctx.services.database;
  const upload = await openUpload(ctx, request, sent);
  if (upload.completedAt === null && sent.start !== null) {
    if (sent.start !== upload.received) throw doesNotContinue(upload.received);
    await storeBytes(ctx, upload, { start: sent.start, incoming });
  }
  const now = await findUpload(orm, upload);
  if (!now) throw new MerkleError("not_found", "This upload has ended. Upload the file again.");
  return now.received < now.size ? { received: now.received } : completeUpload(orm, now, request.sha256);
}

/** Finds the upload that a request continues, or starts one. */
async function openUpload(
  { services, session, team, person }: TeamContext<Services>,
  { name, upload: uploadId = randomUUID(), keep_metadata: keepMetadata }: UploadRequest,
  { size }: SentRange,
): Promise<StoredUpload> {
  const { orm, meshId } = services.database;
  const { sessionId } = session;
  const key: UploadKey = { sessionId, ownerId: person?.personId ?? team.teamId, uploadId };
  const upload = { ...key, meshId, fileId: randomUUID(), name, keepMetadata, size };
  const earlier = await findUpload(orm, key);
  if (earlier) return requireSame(earlier, upload);
  const bytesMax = services.settings.current.files_mb_max * bytesPerMegabyte;
  try {
    if (await startUpload(orm, upload, bytesMax)) return { ...upload, received: 0, completedAt: null };
  } catch (error) {
    // Another request has started the same upload meanwhile.
    const started = findViolatedConstraint(error) === "file_uploads_pkey" ? await findUpload(orm, key) : null;
    if (!started) throw error;
    return requireSame(started, upload);
  }
  throw new MerkleError(
    "forbidden",
    `The files of this mesh can have at most ${services.settings.current.files_mb_max} MB in total, and there is no room for ${size} bytes more. Nothing was stored. Redact messages with files, or have files_mb_max raised.`,
    { files_mb_max: services.settings.current.files_mb_max },
  );
}

function requireSame(
  earlier: StoredUpload,
  { name, keepMetadata, size }: Pick<StoredUpload, "name" | "keepMetadata" | "size">,
): StoredUpload {
  if (earlier.name === name && earlier.keepMetadata === keepMetadata && earlier.size === size) return earlier;
  throw new MerkleError(
    "conflict",
    "This uuid belongs to an upload with another name, size or keep_metadata. Use a new uuid for another file.",
  );
}

async function storeBytes(
  { services }: TeamContext<Services>,
  upload: StoredUpload,
  { start, incoming }: { readonly start: number; readonly incoming: IncomingMessage },
): Promise<void> {
  let offset = start;
  for await (const bytes of fillChunks(readSteadily(incoming, tooSlow))) {
    if (!(await appendToUpload(services.database.orm, upload, { start: offset, bytes })))
      throw doesNotContinue((await findUpload(services.database.orm, upload))?.received ?? 0);
    offset += bytes.length;
  }
}

function doesNotContinue(received: number): MerkleError {
  return new MerkleError(
    "conflict",
    `${received} bytes of this file have arrived, so the next request must begin with byte ${received}. Nothing of this request was stored.`,
    { received },
  );
}

function tooSlow(): MerkleError {
  return new MerkleError(
    "unavailable",
    `The file arrived more slowly than ${limits.transferBytesPerSecondMin} bytes a second. Continue the upload over a faster connection.`,
    { outcome: "none", bytes_per_second_min: limits.transferBytesPerSecondMin },
  );
}
