import * as z from "zod";
import { limits } from "../core/limits.js";
import { countUtf8Bytes } from "../core/utf8.js";
import { lineOfChars } from "../core/values.js";

/**
 * Name of a file. It is only a name, never a path, and contains nothing that could change how a line around it is
 * displayed (ATTACH-3).
 */
export const FileName = lineOfChars(limits.fileNameBytesMax)
  .refine((name) => countUtf8Bytes(name) <= limits.fileNameBytesMax, {
    error: `must be at most ${limits.fileNameBytesMax} bytes in UTF-8`,
  })
  .refine((name) => !/[/\\]|^\.{1,2}$/.test(name), {
    error: "must be a name without a path: no / and no \\",
  })
  .refine((name) => !/[\p{Bidi_Control}\p{Cf}\p{Co}\p{Cn}]/u.test(name), {
    error: "must not contain invisible or unassigned characters",
  })
  .meta({ examples: ["build.log"] });

const MediaType = z
  .string()
  .max(limits.mediaTypeCharsMax)
  .regex(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/, { error: "must be a media type such as image/png" });

export const FileDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" })
  .meta({ description: "SHA-256 of the bytes as stored, in hexadecimal." });

/**
 * A file of a message. The content of a message contains it, so the message's hash covers its name, size, type and
 * digest (ATTACH-13).
 */
export const Attachment = z
  .strictObject({
    name: FileName,
    size: z.int().min(0).max(limits.attachmentBytesMax).meta({ description: "Bytes, as stored." }),
    type: MediaType.meta({ description: "The media type that the bytes have." }),
    digest: FileDigest,
  })
  .meta({ id: "Attachment" });

/** The files of one message. A file is fetched by its digest, so each digest occurs once. */
export const Attachments = z
  .array(Attachment)
  .min(1)
  .max(limits.attachmentsMax)
  .refine((files) => new Set(files.map(({ digest }) => digest)).size === files.length, {
    error: "must not contain the same bytes twice",
  })
  .meta({ description: "Files, as their uploads returned them." });
