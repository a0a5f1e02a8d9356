import { nameFiles } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { AttachHook } from "../../sessions/hooks.js";

/**
 * Notes the files of a message that is about to be posted.
 *
 * @throws bad_request if the author has not uploaded one of them: knowing a digest is not enough (ATTACH-6)
 */
export const noteMessageFiles: AttachHook = async ({ database }, message) => {
  const named = await nameFiles(database.orm, { ...message, uploadHours: limits.uploadHours });
  const missing = message.files.find(({ digest }) => !named.includes(digest));
  if (!missing) return;
  throw new MerkleError(
    "bad_request",
    `You have not uploaded ${JSON.stringify(missing.name)} to this session in the last ${limits.uploadHours} hours, or its upload returned other facts. Nothing was posted. Upload the file, and pass what the upload returns unchanged.`,
    { fields: [{ field: "content.attachments", problem: "is not one of your uploads" }] },
  );
};
