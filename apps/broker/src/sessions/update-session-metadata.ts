import { findSession, lockSession, type SessionRow, updateSessionRow } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "./context.js";
import { readEventPriority } from "./roster/announce-roster.js";
import { toSessionSettings } from "./session-settings.js";

type Changes = OutputOf<"update_session_metadata">["changes"];

/**
 * Changes the title or description and announces the change with its author and reason (SES-7). The later of two updates
 * wins.
 */
export async function updateSessionMetadata(
  ctx: TeamContext<SessionServices>,
  input: ParsedInputOf<"update_session_metadata">,
): Promise<OutputOf<"update_session_metadata">> {
  const { database } = ctx.services;
  const { sessionId, slug } = ctx.session;

  return ctx.write(async (write) => {
    const { tx, announce, afterCommit } = write;
    await lockSession(tx, sessionId);
    const row = await findSession(tx, database.meshId, sessionId);
    if (!row) throw new MerkleError("not_found", `There is no session "${slug}".`);
    const settings = toSessionSettings(row.settings);
    const at = new Date();
    refuseTooSoon(row, settings.metadata_min_interval_s, at);

    const title = input.title ?? row.title;
    const description = input.description ?? row.description;
    const changes: Changes = {
      ...(title === row.title ? {} : { title: { from: row.title, to: title } }),
      ...(description === row.description ? {} : { description: { from: row.description, to: description } }),
    };
    if (Object.keys(changes).length === 0) {
      return { title, description, updated_at: row.updatedAt.toISOString(), changes };
    }
    await updateSessionRow(tx, sessionId, {
      title,
      description,
      updatedAt: at,
      metadataChangedAt: at,
      metadataChangedBy: ctx.team.name,
      metadataChangeReason: input.reason,
    });
    const { sequence } = await announce(
      sessionId,
      {
        event: "session_metadata_updated",
        by: ctx.team.name,
        changes,
        reason: input.reason,
        at: at.toISOString(),
      },
      { causedBy: ctx.team.peer.peerId, priority: await readEventPriority(write, sessionId) },
    );
    afterCommit(() => ctx.services.channels.announceChange(sessionId, "session", sequence));
    return { title, description, updated_at: at.toISOString(), changes };
  });
}

function refuseTooSoon(row: SessionRow, minIntervalS: number, now: Date): void {
  if (minIntervalS === 0 || !row.metadataChangedAt) return;
  const leftS = minIntervalS - (now.getTime() - row.metadataChangedAt.getTime()) / 1000;
  if (leftS <= 0) return;
  const retry_after_s = Math.ceil(leftS);
  throw new MerkleError(
    "too_many_requests",
    `The title and description of "${row.slug}" can be changed once every ${minIntervalS} s. Try again in ${retry_after_s} s.`,
    { retry_after_s },
  );
}
