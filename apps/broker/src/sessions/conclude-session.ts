import { closeFeed, findSession, lockDocument, saveDocumentVersion } from "@merkle/db";
import { limits, MerkleError, utf8Bytes } from "@merkle/wire";
import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { replaceConclusion } from "../document/conclusion-section.js";
import { documentTooLarge } from "../document/write-document.js";
import { toSessionSettings } from "../settings/get-settings.js";
import { requireConvener } from "./require-convener.js";

/**
 * Ends a session: writes the Conclusion, closes the feed and says so, in one transaction (SES-9). Again, it revises the
 * Conclusion and says so again; `closed_at` stays the first one.
 */
export async function concludeSession(
  ctx: TeamContext,
  input: ParsedInputOf<"conclude_session">,
): Promise<OutputOf<"conclude_session">> {
  const { database, sessions, channels } = ctx.services;
  const { sessionId, slug } = ctx.session;

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    const session = await findSession(tx, database.meshId, sessionId);
    const document = await lockDocument(tx, sessionId);
    if (!session || !document) throw new MerkleError("not_found", `There is no session "${slug}".`);
    if (toSessionSettings(session.settings).conclude_by === "convener") requireConvener(ctx, "conclude it");

    const { content, conclusion } = replaceConclusion(
      document.content,
      document.conclusion,
      input.summary_section,
    );
    if (utf8Bytes(content) > limits.documentBytesMax) throw documentTooLarge(utf8Bytes(content));
    const at = new Date();
    const version = document.version + 1;
    const { teamId: writtenByTeamId, name: writtenBy, peer } = ctx.team;
    await saveDocumentVersion(tx, {
      sessionId,
      version,
      content,
      conclusion,
      writtenByTeamId,
      writtenBy,
      at,
      afterSequence: document.lastSequence,
    });
    const closedAt = await closeFeed(tx, sessionId, at);
    await announce(
      sessionId,
      { event: "session_concluded", by: writtenBy, document_version: version, at: at.toISOString() },
      { causedBy: peer.peerId, afterClosing: true },
    );
    afterCommit(() => {
      sessions.markClosed(sessionId);
      channels.announceChange(sessionId, "document", version);
    });
    return {
      session_id: sessionId,
      status: "closed",
      closed_at: closedAt.toISOString(),
      doc_version: version,
    };
  });
}
