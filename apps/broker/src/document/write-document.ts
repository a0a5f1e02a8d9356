import { type LockedDocument, lockDocument, saveDocumentVersion } from "@merkle/db";
import { limits, MerkleError, utf8Bytes } from "@merkle/wire";
import { sessionClosed } from "../access/authorize.js";
import type { TeamContext } from "../context.js";

/**
 * Makes a document's next version from the one that is current when the write begins (DOC-1). Writers of one document
 * come one after the other, and none comes after a conclusion.
 *
 * @param change - returns the next content, or throws to leave the document as it is
 */
export async function writeDocument(
  ctx: TeamContext,
  change: (current: LockedDocument) => string | Promise<string>,
): Promise<{ version: number }> {
  const { sessionId, slug } = ctx.session;
  const { teamId: writtenByTeamId, name: writtenBy, peer } = ctx.team;

  return ctx.write(async ({ tx, afterCommit }) => {
    const current = await lockDocument(tx, sessionId);
    if (!current) throw new MerkleError("not_found", `There is no session "${slug}".`);
    if (current.closedAt) throw sessionClosed({ slug });

    const content = await change(current);
    if (utf8Bytes(content) > limits.documentBytesMax) throw documentTooLarge(utf8Bytes(content));
    const version = current.version + 1;
    await saveDocumentVersion(tx, {
      sessionId,
      version,
      content,
      conclusion: current.conclusion,
      writtenByTeamId,
      writtenBy,
      at: new Date(),
      afterSequence: current.lastSequence,
    });
    afterCommit(() => {
      // Who wrote knows: its next wait need not say so. What others wrote in between it still has to be told.
      if (peer.documentVersion === current.version) peer.documentVersion = version;
      ctx.services.channels.announceChange(sessionId, "document", version);
    });
    return { version };
  });
}

export function documentTooLarge(bytes: number): MerkleError {
  return new MerkleError(
    "payload_too_large",
    `The document would have ${bytes} bytes; it may have ${limits.documentBytesMax}. Shorten it first, with edit_session_doc or update_session_doc.`,
    { bytes, bytes_max: limits.documentBytesMax },
  );
}
