import * as z from "zod";
import { asTeam, inSession, Sequence, Uuid } from "../../../core/values.js";
import { Attachment, FileDigest, FileName } from "../../../feed/attachment.js";
import { formatMessageFile } from "../../../feed/message-files.js";
import { describeOperations } from "../../../operations/operation.js";
import { downloadRules, uploadRules } from "../rules.js";

/**
 * The query of an upload. The body is the file, or with `Content-Range` a part of it. The uuid in `upload` lets the
 * sender continue an upload that broke off (ATTACH-2).
 */
export const uploadFile = describeOperations(uploadRules)("upload_file", {
  summary: "Upload a file for a message of the session.",
  input: z.strictObject({
    ...inSession,
    name: FileName,
    upload: Uuid.optional().meta({
      description: "A new uuid, by which the upload can be continued (default: it cannot be continued).",
    }),
    sha256: FileDigest.optional().meta({
      description: "SHA-256 of the bytes that you send. Other bytes are refused.",
    }),
    keep_metadata: z.boolean().default(false).meta({
      description: "Keep what an image says about camera, place and author (default: it is removed).",
    }),
    ...asTeam,
  }),
  output: z.union([
    Attachment,
    z.object({ received: z.int().meta({ description: "Bytes received so far; send the rest." }) }),
  ]),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: (reply) => ("received" in reply ? `received ${reply.received} bytes` : formatMessageFile(reply)),
});

export const downloadFile = describeOperations(downloadRules)("download_file", {
  summary: "Download a file that a message carries.",
  input: z.strictObject({
    ...inSession,
    message: Sequence.min(1),
    digest: FileDigest,
    ...asTeam,
  }),
  output: z.unknown(),
  errors: ["unauthorized", "not_found"],
  compact: () => "",
});
