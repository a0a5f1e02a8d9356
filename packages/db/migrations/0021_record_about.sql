-- A head is also over what is said around the two logs, and a record is known by its id and by the key that signs it.

-- SHA-256 of the session's facts, of the roster and of the state, one after the other; nothing in heads of format 1. What is
-- said can change while the logs do not, and another key may sign: then a record has a further head over just as much.
ALTER TABLE heads
  ADD COLUMN about bytea NOT NULL DEFAULT '' CHECK (octet_length(about) IN (0, 96)),
  DROP CONSTRAINT heads_pkey,
  ADD PRIMARY KEY (session_id, size, document_version, key_id, about);
--> statement-breakpoint
-- The first key of the line that signs an imported record: others vouch for themselves by it. Who makes a record of their own
-- under the id of another's has another key, and takes nobody's place.
ALTER TABLE sessions
  ADD COLUMN origin_key text CHECK (origin_key ~ '^[0-9a-f]{32}$'),
  DROP CONSTRAINT sessions_imported_once,
  DROP CONSTRAINT sessions_imported_whole;
--> statement-breakpoint
WITH RECURSIVE line (session_id, key_id, previous, step) AS (
  SELECT * FROM (
    SELECT DISTINCT ON (h.session_id) h.session_id, h.key_id, k.previous, 0
    FROM heads h JOIN sessions s USING (session_id) LEFT JOIN origin_keys k USING (session_id, key_id)
    WHERE s.origin_id IS NOT NULL
    ORDER BY h.session_id, h.size DESC, h.document_version DESC
  ) newest
  UNION ALL
  SELECT l.session_id, k.key_id, k.previous, l.step + 1
  FROM line l JOIN origin_keys k ON k.session_id = l.session_id AND k.key_id = l.previous
  WHERE l.step < 1000
)
UPDATE sessions SET origin_key = first.key_id
FROM (SELECT DISTINCT ON (session_id) session_id, key_id FROM line ORDER BY session_id, step DESC) first
WHERE sessions.session_id = first.session_id;
--> statement-breakpoint
ALTER TABLE sessions
  ADD CONSTRAINT sessions_imported_whole CHECK (
    (origin_id IS NULL) = (imported_at IS NULL) AND (origin_id IS NULL) = (origin_key IS NULL)),
  ADD CONSTRAINT sessions_imported_once UNIQUE (mesh_id, origin_id, origin_key);
--> statement-breakpoint
-- What of an imported bundle does not follow from messages and versions, to the letter: a copy is given on with what its origin
-- signed. A file is kept in parts, so that none is too large to be held.
CREATE TABLE import_files (
  session_id uuid NOT NULL REFERENCES sessions,
  name       text NOT NULL,
  part       integer NOT NULL CHECK (part >= 0),
  bytes      bytea NOT NULL,
  PRIMARY KEY (session_id, name, part)
);
