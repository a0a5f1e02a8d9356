-- The brokers on this database. A row says that its node is there as long as it was seen within the lease, by this database's
-- clock; whatever else names a node counts only as long.
CREATE TABLE nodes (
  node_id      uuid PRIMARY KEY,
  version      text NOT NULL,
  -- Where it is reached; empty until it listens.
  address      text NOT NULL,
  bus          text NOT NULL,
  epoch        text NOT NULL,
  -- The id of the key that it signs with.
  audit_key    text NOT NULL,
  -- How far its clock was ahead of this database's.
  clock_ms     integer NOT NULL,
  started_at   timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Where a peer is, as far as others than that node need it: written only where there may be several.
ALTER TABLE peers
  -- The node where an inbox of it was opened last.
  ADD COLUMN held_node    uuid,
  -- The node where a wait of it is parked.
  ADD COLUMN polling_node uuid,
  -- When its last connection said goodbye; what was seen of it later counts before this.
  ADD COLUMN gone_at      timestamptz(3),
  -- The part of `returned` that was brought twice: the next node goes on from there.
  ADD COLUMN repeated     bigint NOT NULL DEFAULT 0;
