import { MerkleError } from "@merkle/wire";
import { sessionClosed } from "../access/authorize.js";
import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { readOwnPost } from "../persons/read-own-post.js";
import { chatRow, messageId } from "./message.js";

/**
 * Posts a chat message. When this resolves it is on disk, and no kill of anything loses it (FEED-2). Sent again with the
 * same key it is the same message (FEED-5).
 *
 * @throws session_closed, or conflict when the key was used for another text
 */
export async function postMessage(
  ctx: TeamContext,
  input: ParsedInputOf<"post_message">,
): Promise<OutputOf<"post_message">> {
  const { sessionId } = ctx.session;
  const { teamId, name: team, kind, peer } = ctx.team;
  const id = messageId(sessionId, peer.peerId, ctx.idempotencyKey);
  const row = chatRow(
    sessionId,
    id,
    { teamId, peerId: peer.peerId, team, human: kind === "human" },
    input.content,
  );

  const appended = await ctx.services.appender.append(row);
  switch (appended.outcome) {
    case "duplicate":
      if (!appended.same) throw otherMessage(appended.sequence);
      return { message_id: id, cursor: appended.sequence, at: appended.postedAt.toISOString() };
    case "posted":
      if (ctx.person) await readOwnPost(ctx, ctx.person, appended.sequence);
      return { message_id: id, cursor: appended.sequence, at: appended.postedAt.toISOString() };
    case "closed":
      ctx.services.sessions.markClosed(sessionId);
      throw sessionClosed(ctx.session);
    case "missing":
      throw new MerkleError("not_found", `There is no session "${ctx.session.slug}".`);
  }
}

function otherMessage(sequence: number): MerkleError {
  return new MerkleError(
    "conflict",
    `This idempotency_key stands for message ${sequence}, which has another text; nothing was posted. Use a new key for a new message.`,
    { sequence },
  );
}
