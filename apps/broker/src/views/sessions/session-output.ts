import type { SessionRow } from "@merkle/db";
import type { OutputOf, PresentTeam, Session } from "@merkle/wire";
import { toHeld } from "../../sessions/hold-session.js";
import { findFirstLine } from "../../text/find-first-line.js";

/** Facts about a session that are not in the session's row. */
export interface DerivedSessionFacts {
  /** The caller's read position. Null if it is unknown. */
  readonly lastRead: number | null;
  /** Number of messages from others that the caller has not read. Null if it is unknown. */
  readonly unread: number | null;
  readonly present: readonly PresentTeam[];
  /** When the session became quiet, or null unless it is quiet and waiting for a human. */
  readonly quietSince: Date | null;
}

export function toSession(
  row: SessionRow,
  { lastRead, unread, present, quietSince }: DerivedSessionFacts,
): Session {
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
    archived_at: row.archivedAt?.toISOString() ?? null,
    last_sequence: row.lastSequence,
    last_posted_at: row.lastPostedAt?.toISOString() ?? null,
    last_said_at: row.lastSaidAt?.toISOString() ?? null,
    last_said_by: row.lastSaidBy,
    last_said_text: row.lastSaidText === null ? null : findFirstLine(row.lastSaidText),
    last_read: lastRead,
    unread,
    held: toHeld(row),
    quiet_since: quietSince?.toISOString() ?? null,
    conclusion: row.conclusion === null ? null : findFirstLine(row.conclusion),
    present: [...present],
    document_version: row.documentVersion,
    bytes: row.bytes,
    teams: row.teams,
  };
}

/**
 * Returns the author, reason and time of the last change to the title or description. Null if there was no
 * change or its details are no longer known.
 */
export function toLastChange(row: SessionRow): OutputOf<"get_session">["last_change"] {
  const { metadataChangedAt: at, metadataChangedBy: by, metadataChangeReason: reason } = row;
  return at === null || by === null || reason === null ? null : { by, reason, at: at.toISOString() };
}
