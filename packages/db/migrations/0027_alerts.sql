-- Where people are told, outside of the pages, of what waits for them. The address and what is secret of it are encrypted with a
-- key of the Merkle home, so that a copy of the database tells nobody's.
CREATE TABLE alert_targets (
  mesh_id      uuid NOT NULL REFERENCES meshes,
  target_id    uuid NOT NULL,
  person_id    uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('push', 'webhook', 'ntfy', 'slack', 'discord')),
  name         text NOT NULL,
  sealed       bytea NOT NULL,
  about        text[] NOT NULL,
  -- {"from", "to", "time_zone"}: nothing is sent meanwhile.
  quiet        jsonb,
  created_at   timestamptz(3) NOT NULL,
  changed_at   timestamptz(3) NOT NULL,
  last_sent_at timestamptz(3),
  -- Why what was sent last did not arrive; null once something does.
  problem      text,
  -- When the address said that it is gone. Nothing is sent there any more.
  ended_at     timestamptz(3),
  PRIMARY KEY (mesh_id, target_id),
  FOREIGN KEY (mesh_id, person_id) REFERENCES persons
);
--> statement-breakpoint
CREATE INDEX alert_targets_of_person ON alert_targets (mesh_id, person_id);
--> statement-breakpoint
-- What each target is told: one row for a target and an item as long as the item is there, so that it is told once. The words
-- are not kept: they are read from the item when they are sent, so what was redacted meanwhile is not sent.
CREATE TABLE alerts (
  mesh_id   uuid NOT NULL,
  target_id uuid NOT NULL,
  item      text NOT NULL,
  -- A known one was there before anybody asked to be told.
  state     text NOT NULL CHECK (state IN ('known', 'waiting', 'sent', 'given_up')),
  attempts  integer NOT NULL DEFAULT 0,
  due_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, target_id, item),
  FOREIGN KEY (mesh_id, target_id) REFERENCES alert_targets ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX alerts_due ON alerts (mesh_id, due_at) WHERE state = 'waiting';
