import type { SessionRow } from "@merkle/db";
import type { OutputOf, Session } from "@merkle/wire";

/** @param lastRead - how far the caller has read in it, null where nothing is known of the caller */
export function toSession(row: SessionRow, lastRead: number | null): Session {
  return {
    session_id: row.sessionId,
    slug: row.slug,
    title: row.title,
    description: row.description,
    status: row.closedAt ? "closed" : "active",
    session_closed: row.closedAt !== null,
    created_by_team_id: row.createdByTeamId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    closed_at: row.closedAt?.toISOString() ?? null,
    last_sequence: row.lastSequence,
    last_posted_at: row.lastPostedAt?.toISOString() ?? null,
    last_said_at: row.lastSaidAt?.toISOString() ?? null,
    last_said_by: row.lastSaidBy,
    last_read: lastRead,
    unread: null,
    held: toHeld(row),
    quiet_since: null,
    conclusion: null,
    present: [],
    document_version: row.documentVersion,
    teams: row.teams,
  };
}

/** Who holds a session, if a human does. */
export function toHeld(row: SessionRow): OutputOf<"get_session">["held"] {
  if (!row.heldAt) return null;
  return { by: row.heldBy ?? "", reason: row.holdReason, at: row.heldAt.toISOString() };
}
