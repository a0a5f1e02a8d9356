import { sql } from "drizzle-orm";
import type { Queryable } from "../open-database.js";

/** Where a peer has come to; what is left out stays. Cursors only ever go forward. */
export interface PeerProgress {
  readonly sessionId: string;
  readonly peerId: string;
  readonly acked: number;
  readonly offered: number;
  readonly returned: number;
  readonly documentVersion: number;
  readonly idlePolls: number;
  readonly lastSeenAt: Date | null;
}

/**
 * Saves the progress of many peers in one statement. `greatest` makes a late or repeated save harmless, so that two
 * nodes may both know the peer.
 */
export async function saveProgress(db: Queryable, progress: readonly PeerProgress[]): Promise<void> {
  if (progress.length === 0) return;
  await db.execute(sql`
    UPDATE peers p
    SET acked = greatest(p.acked, n.acked),
        offered = greatest(p.offered, n.offered),
        returned = greatest(p.returned, n.returned),
        document_version = greatest(p.document_version, n.document_version),
        idle_polls = n.idle_polls,
        last_seen_at = greatest(p.last_seen_at, n.last_seen_at)
    FROM json_to_recordset(${JSON.stringify(progress.map(toJson))}::text::json) AS n (
      session_id uuid, peer_id uuid, acked bigint, offered bigint, returned bigint,
      document_version integer, idle_polls integer, last_seen_at timestamptz)
    WHERE p.session_id = n.session_id AND p.peer_id = n.peer_id`);
}

function toJson(progress: PeerProgress): Record<string, unknown> {
  return {
    session_id: progress.sessionId,
    peer_id: progress.peerId,
    acked: progress.acked,
    offered: progress.offered,
    returned: progress.returned,
    document_version: progress.documentVersion,
    idle_polls: progress.idlePolls,
    last_seen_at: progress.lastSeenAt?.toISOString() ?? null,
  };
}
