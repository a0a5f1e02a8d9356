-- Every table but meshes and settings starts its key with session_id or mesh_id, so that each can be partitioned, or
-- distributed by that column, without a redesign. Foreign keys stay within one session or mesh for the same reason.

CREATE TABLE meshes (
  mesh_id    uuid PRIMARY KEY,
  name       text NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- The broker's own facts: its settings, and the epoch that names this history of the database.
CREATE TABLE settings (
  key        text PRIMARY KEY,
  value      jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE sessions (
  session_id          uuid PRIMARY KEY,
  mesh_id             uuid NOT NULL REFERENCES meshes,
  slug                text NOT NULL,
  title               text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
  description         text NOT NULL,
  created_by_team_id  uuid NOT NULL,
  settings            jsonb NOT NULL,
  created_at          timestamptz(3) NOT NULL,
  updated_at          timestamptz(3) NOT NULL,
  metadata_changed_at timestamptz(3)
);
--> statement-breakpoint
CREATE INDEX sessions_by_mesh ON sessions (mesh_id, session_id);
--> statement-breakpoint
-- A table of its own, because a name must be unique in its mesh while sessions are keyed by their id.
CREATE TABLE session_slugs (
  mesh_id    uuid NOT NULL REFERENCES meshes,
  slug       text NOT NULL,
  session_id uuid NOT NULL,
  PRIMARY KEY (mesh_id, slug)
);
--> statement-breakpoint
-- The head of each feed. Narrow, half filled and without another index, so that bumping it is a cheap in-page update.
CREATE TABLE feeds (
  session_id     uuid PRIMARY KEY,
  last_sequence  bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0),
  last_posted_at timestamptz(3),
  closed_at      timestamptz(3)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE teams (
  session_id  uuid NOT NULL REFERENCES sessions,
  team_id     uuid NOT NULL,
  name        text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
  kind        text NOT NULL DEFAULT 'agent' CHECK (kind IN ('agent', 'human')),
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  joined_at   timestamptz(3) NOT NULL,
  left_at     timestamptz(3),
  PRIMARY KEY (session_id, team_id)
);
--> statement-breakpoint
-- Names are compared without case: "birch" beside "Birch" would only confuse.
CREATE UNIQUE INDEX teams_by_name ON teams (session_id, lower(name));
--> statement-breakpoint
-- acked: read and handled. offered: the highest cursor handed out. returned: what the last call without a cursor
-- brought to its caller in full; the next such call acknowledges it.
CREATE TABLE peers (
  session_id       uuid NOT NULL,
  peer_id          uuid NOT NULL,
  team_id          uuid NOT NULL,
  name             text,
  acked            bigint NOT NULL DEFAULT 0,
  offered          bigint NOT NULL DEFAULT 0,
  returned         bigint NOT NULL DEFAULT 0,
  document_version integer NOT NULL DEFAULT 0,
  idle_polls       integer NOT NULL DEFAULT 0,
  last_seen_at     timestamptz(3),
  PRIMARY KEY (session_id, peer_id),
  UNIQUE NULLS NOT DISTINCT (session_id, team_id, name),
  FOREIGN KEY (session_id, team_id) REFERENCES teams,
  CHECK (0 <= acked AND acked <= offered AND returned <= offered)
);
--> statement-breakpoint
-- No foreign key: append_messages is the only code that inserts here, and it holds the lock on the feed's row while it
-- does; a check per row would halve the rate of a full batch.
CREATE TABLE messages (
  session_id        uuid NOT NULL,
  sequence          bigint NOT NULL CHECK (sequence > 0),
  id                uuid NOT NULL,
  type              text NOT NULL CHECK (type IN ('chat', 'system')),
  posted_by_team_id uuid CHECK ((type = 'chat') = (posted_by_team_id IS NOT NULL)),
  posted_by_peer_id uuid,
  author_team       text,
  author_peer       text,
  author_human      boolean NOT NULL DEFAULT false,
  recipients        text[] NOT NULL DEFAULT '{*}',
  priority          text NOT NULL DEFAULT 'next' CHECK (priority IN ('now', 'next', 'low')),
  reply_to          bigint CHECK (reply_to < sequence),
  -- Canonical JSON (RFC 8785), kept as text: jsonb would reorder its keys and rewrite its numbers.
  content           text NOT NULL,
  -- Seals commit to the hash of salt and content, so a removed text cannot be guessed from its hash.
  salt              bytea NOT NULL CHECK (octet_length(salt) = 16),
  posted_at         timestamptz(3) NOT NULL,
  PRIMARY KEY (session_id, sequence),
  UNIQUE (session_id, id)
);
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER messages_are_append_only BEFORE UPDATE OR DELETE ON messages
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TABLE documents (
  session_id uuid PRIMARY KEY REFERENCES sessions,
  version    integer NOT NULL DEFAULT 0 CHECK (version >= 0),
  content    text NOT NULL DEFAULT '' CHECK (octet_length(content) <= 524288),
  -- What the last conclusion put into the content; the next one replaces exactly that.
  conclusion text,
  updated_at timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE document_versions (
  session_id         uuid NOT NULL REFERENCES sessions,
  version            integer NOT NULL CHECK (version > 0),
  content            text NOT NULL,
  written_by_team_id uuid NOT NULL,
  written_by         text NOT NULL,
  written_at         timestamptz(3) NOT NULL,
  after_sequence     bigint NOT NULL,
  PRIMARY KEY (session_id, version)
);
--> statement-breakpoint
-- First results of keyed requests. The result is sealed with a key that only the caller's idempotency key yields, because
-- it may hold a credential.
CREATE TABLE idempotent_results (
  mesh_id       uuid NOT NULL REFERENCES meshes,
  request_hash  bytea NOT NULL,
  input_hash    bytea NOT NULL,
  sealed_result bytea,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (mesh_id, request_hash)
);
--> statement-breakpoint
CREATE INDEX idempotent_results_by_age ON idempotent_results (created_at);
--> statement-breakpoint
-- MCP sessions outlive the broker's process: their clients never see a restart.
CREATE TABLE mcp_sessions (
  mesh_id      uuid NOT NULL REFERENCES meshes,
  id_hash      bytea NOT NULL,
  initialize   jsonb NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (mesh_id, id_hash)
);
--> statement-breakpoint
-- The team that an MCP session joined a session as; its credential is sealed with the MCP session's own id.
CREATE TABLE mcp_session_teams (
  mesh_id           uuid NOT NULL,
  id_hash           bytea NOT NULL,
  session_id        uuid NOT NULL,
  sealed_credential bytea NOT NULL,
  PRIMARY KEY (mesh_id, id_hash, session_id),
  FOREIGN KEY (mesh_id, id_hash) REFERENCES mcp_sessions ON DELETE CASCADE
);
--> statement-breakpoint
-- A message as the broker hands it over; ids and texts are those of the table, the salt is hexadecimal.
CREATE TYPE message_row AS (
  session_id    uuid,
  id            uuid,
  type          text,
  team_id       uuid,
  peer_id       uuid,
  author_team   text,
  author_peer   text,
  author_human  boolean,
  recipients    text[],
  priority      text,
  reply_to      bigint,
  content       text,
  salt          text,
  after_closing boolean
);
--> statement-breakpoint
-- Appends rows to their feeds and answers each: posted, duplicate (with the first sequence, and whether it was the same
-- message), closed, missing, or busy when another transaction holds the feed and wait is false.
--
-- The first statement locks the feeds, in one order for all callers, so that two batches cannot wait for each other; NO KEY,
-- because nothing refers to these rows by a key that changes. The second has a snapshot of its own, taken when the locks are
-- held, so it sees everything that was committed before: numbers are free of gaps and in the order of commits. One statement
-- for both would number from a snapshot older than its locks.
--
-- The planner settings keep it on the indexes: on a fresh database, before the first ANALYZE, it would otherwise scan. One
-- plan serves batches of every size; planning takes longer than appending a message.
CREATE FUNCTION append_messages(rows json, wait boolean)
RETURNS TABLE (ordinal integer, outcome text, same boolean, sequence bigint, posted_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  given message_row[] := ARRAY(SELECT r FROM json_populate_recordset(NULL::message_row, rows) AS r);
  wanted uuid[] := ARRAY(SELECT DISTINCT r.session_id FROM unnest(given) AS r);
  locked uuid[];
  instant timestamptz(3);
BEGIN
  IF wait THEN
    locked := ARRAY(SELECT f.session_id FROM feeds f WHERE f.session_id = ANY (wanted)
                    ORDER BY f.session_id FOR NO KEY UPDATE);
  ELSE
    locked := ARRAY(SELECT f.session_id FROM feeds f WHERE f.session_id = ANY (wanted)
                    ORDER BY f.session_id FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  instant := date_trunc('milliseconds', clock_timestamp());

  RETURN QUERY
  WITH judged AS MATERIALIZED (
    SELECT i.*,
           f.last_sequence,
           m.sequence AS known_sequence,
           m.posted_at AS known_posted_at,
           m.content AS known_content,
           greatest(instant, f.last_posted_at) AS fresh_posted_at,
           CASE
             WHEN f.session_id IS NULL THEN 'missing'
             WHEN cardinality(locked) < cardinality(wanted) AND NOT f.session_id = ANY (locked) THEN 'busy'
             WHEN m.sequence IS NOT NULL
               OR row_number() OVER (PARTITION BY i.session_id, i.id ORDER BY i.ordinal) > 1 THEN 'duplicate'
             WHEN f.closed_at IS NOT NULL AND NOT coalesce(i.after_closing, false) THEN 'closed'
             ELSE 'posted'
           END AS outcome
    FROM unnest(given) WITH ORDINALITY AS i (
           session_id, id, type, team_id, peer_id, author_team, author_peer,
           author_human, recipients, priority, reply_to, content, salt,
           after_closing, ordinal
         )
    LEFT JOIN feeds f ON f.session_id = i.session_id
    LEFT JOIN messages m ON m.session_id = i.session_id AND m.id = i.id
  ), numbered AS MATERIALIZED (
    SELECT j.*,
           CASE WHEN j.outcome = 'posted'
             THEN j.last_sequence + count(*) FILTER (WHERE j.outcome = 'posted') OVER (PARTITION BY j.session_id ORDER BY j.ordinal)
             ELSE j.known_sequence
           END AS sequence,
           CASE WHEN j.outcome = 'posted' THEN j.fresh_posted_at ELSE j.known_posted_at END AS posted_at
    FROM judged j
  ), bumped AS (
    UPDATE feeds f SET last_sequence = n.last_sequence, last_posted_at = n.last_posted_at
    FROM (SELECT session_id, max(sequence) AS last_sequence, max(posted_at) AS last_posted_at
          FROM numbered WHERE outcome = 'posted' GROUP BY session_id) n
    WHERE f.session_id = n.session_id
  ), inserted AS (
    INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team, author_peer,
                          author_human, recipients, priority, reply_to, content, salt, posted_at)
    SELECT session_id, sequence, id, type, team_id, peer_id, author_team, author_peer,
           author_human, recipients, priority, reply_to, content, decode(salt, 'hex'), posted_at
    FROM numbered WHERE outcome = 'posted' ORDER BY ordinal
  )
  -- A twin of a row in this very batch has no known message; it takes the answer of the first.
  SELECT n.ordinal::integer,
         CASE WHEN n.outcome = 'duplicate' AND n.known_sequence IS NULL AND first_value(n.outcome) OVER twins <> 'posted'
           THEN first_value(n.outcome) OVER twins ELSE n.outcome END,
         n.content = coalesce(n.known_content, first_value(n.content) OVER twins),
         first_value(n.sequence) OVER twins,
         first_value(n.posted_at) OVER twins
  FROM numbered n
  WINDOW twins AS (PARTITION BY n.session_id, n.id ORDER BY n.ordinal)
  ORDER BY n.ordinal;
END $$;
