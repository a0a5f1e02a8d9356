import { type LockedDocument, lockDocument, saveDocumentVersion } from "@merkle/db";
import { limits, MerkleError, utf8Bytes } from "@merkle/wire";
import type { Write } from "../core/write.js";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import type { DocumentServices } from "./services.js";

/**
 * Makes a document's next version from the one that is current when the write begins (DOC-1). Writers of one document
 * come one after the other, and none comes after a conclusion.
 *
 * @param change - returns the next content, or throws to leave the document as it is
 */
export async function writeDocument(
  ctx: TeamContext<DocumentServices>,
  change: DocumentChange,
): Promise<{ version: number }> {
  return ctx.write((write) => writeVersion(ctx, write, change, ctx.team.name));
}

/** The next content, or an error that leaves the document as it is. */
export type DocumentChange = (current: LockedDocument) => string | Promise<string>;

/**
 * The same within a write that does more.
 *
 * @param writtenBy - whom the version names as its author; its team is the caller's
 */
export async function writeVersion(
  { services, session, team }: Pick<TeamContext<DocumentServices>, "services" | "session" | "team">,
  { tx, afterCommit }: Pick<Write, "tx" | "afterCommit">,
  change: DocumentChange,
  writtenBy: string,
): Promise<{ version: number }> {
  const { sessionId, slug } = session;
  const { teamId: writtenByTeamId, peer } = team;
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
    services.channels.announceChange(sessionId, "document", version);
    services.onDocumentWritten({ meshId: services.database.meshId, sessionId });
  });
  return { version };
}

export function documentTooLarge(bytes: number): MerkleError {
  return new MerkleError(
    "payload_too_large",
    `The document would have ${bytes} bytes; it may have ${limits.documentBytesMax}. Shorten it first, with edit_session_doc or update_session_doc.`,
    { bytes, bytes_max: limits.documentBytesMax },
  );
}
