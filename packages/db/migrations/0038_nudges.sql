-- Nudges under way between nodes: a node that runs wake paths for another reads here whom to wake, and for whom. The node that
-- asked deletes its row; rows of a node that died are purged.
CREATE TABLE nudges (
  nudge_id   uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  by_name    text NOT NULL,
  by_human   boolean NOT NULL,
  peer_ids   jsonb NOT NULL,
  -- By node, the wake paths that it ran for each peer.
  answers    jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Requests that a client cancelled at a node that does not answer them, the newest last: [{"request": 5, "at": "…"}].
ALTER TABLE mcp_sessions ADD COLUMN cancelled jsonb NOT NULL DEFAULT '[]';
