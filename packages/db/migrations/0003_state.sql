-- Facts by key. Their scope is the session or the mesh that they belong to, named by its uuid: rows can be distributed by
-- it as those of other tables by session_id or mesh_id.
CREATE TABLE state_entries (
  scope_id           uuid NOT NULL,
  -- In the order of code points on every server, so that keys with one prefix stand together in the index.
  key                text COLLATE "C" NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  -- +1 on every change, deletions included: a version never means two values. 0 only within the transaction that makes it.
  version            integer NOT NULL CHECK (version >= 0),
  -- Canonical JSON; null while the key is deleted.
  value              text CHECK (octet_length(value) <= 65536),
  updated_by         text NOT NULL,
  -- Whose own delivery leaves the change out.
  updated_by_peer_id uuid NOT NULL,
  updated_at         timestamptz(3) NOT NULL,
  -- How far the feed was told, and when: where it is behind, an event is due. A mesh has no feed, and is never behind.
  announced_version  integer NOT NULL DEFAULT 0,
  announced_at       timestamptz(3),
  PRIMARY KEY (scope_id, key),
  CHECK (announced_version BETWEEN 0 AND version)
);
--> statement-breakpoint
-- What the feed has not been told yet: nearly always nothing.
CREATE INDEX state_entries_unannounced ON state_entries (announced_at) WHERE announced_version < version;
--> statement-breakpoint
-- The last values of each key, the present one included.
CREATE TABLE state_versions (
  scope_id   uuid NOT NULL,
  key        text COLLATE "C" NOT NULL,
  version    integer NOT NULL CHECK (version > 0),
  value      text,
  updated_by text NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (scope_id, key, version),
  FOREIGN KEY (scope_id, key) REFERENCES state_entries
);
--> statement-breakpoint
-- Of which keys a peer wants to be told: one, or all that begin with a prefix.
CREATE TABLE state_watches (
  session_id uuid NOT NULL,
  peer_id    uuid NOT NULL,
  scope_id   uuid NOT NULL,
  pattern    text COLLATE "C" NOT NULL CHECK (char_length(pattern) BETWEEN 1 AND 200),
  is_prefix  boolean NOT NULL,
  PRIMARY KEY (session_id, peer_id, scope_id, pattern, is_prefix),
  FOREIGN KEY (session_id, peer_id) REFERENCES peers
);
--> statement-breakpoint
-- A change asks for its watchers; those of a mesh are in many sessions.
CREATE INDEX state_watches_by_scope ON state_watches (scope_id);
