import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import type { Services } from "../../transports/services.js";
import { getMessageFiles } from "./find-message-files.js";

/** Returns the facts about one of a message's files, and the address of its bytes (ATTACH-23). */
export async function readAttachment(
  ctx: SessionContext<Services>,
  { message, file: number }: ParsedInputOf<"read_attachment">,
): Promise<OutputOf<"read_attachment">> {
  const { files } = await getMessageFiles(ctx, message);
  const file = files[number - 1];
  if (!file)
    throw new MerkleError(
      "not_found",
      files.length === 0
        ? `Message ${message} carries no files.`
        : `Message ${message} carries ${files.length} files, so there is no file ${number}.`,
    );
  const base = ctx.services.addresses.getBaseUrl();
  return {
    ...file,
    message,
    url: `${base}/api/sessions/${ctx.session.sessionId}/messages/${message}/files/${file.digest}`,
  };
}
