-- People of the mesh. A person's credential has the form of a team's, and is given where a team's is.
CREATE TABLE persons (
  mesh_id     uuid NOT NULL REFERENCES meshes,
  person_id   uuid NOT NULL,
  name        text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, person_id)
);
--> statement-breakpoint
-- How far a person has read in each session, in it or not. Keyed by the person first: it is the person's own, and one
-- person's sessions are asked for together.
CREATE TABLE person_reads (
  mesh_id    uuid NOT NULL,
  person_id  uuid NOT NULL,
  session_id uuid NOT NULL,
  last_read  bigint NOT NULL CHECK (last_read >= 0),
  PRIMARY KEY (mesh_id, person_id, session_id),
  FOREIGN KEY (mesh_id, person_id) REFERENCES persons
);
--> statement-breakpoint
-- The team that a person is in a session. It has no credential of its own: the person's proves it. A team's mesh is its
-- session's, so persons are not referred to by key here.
ALTER TABLE teams
  ADD COLUMN person_id uuid,
  ALTER COLUMN secret_hash DROP NOT NULL,
  ADD CONSTRAINT teams_are_proved_one_way CHECK ((secret_hash IS NULL) = (person_id IS NOT NULL)),
  ADD CONSTRAINT teams_of_persons_are_human CHECK (person_id IS NULL OR kind = 'human');
--> statement-breakpoint
CREATE UNIQUE INDEX teams_by_person ON teams (session_id, person_id) WHERE person_id IS NOT NULL;
--> statement-breakpoint
-- A credential names its team and not its session: where no session is addressed, the team is found by its id alone.
CREATE INDEX teams_by_id ON teams (team_id);
--> statement-breakpoint
-- The newest message that somebody said, so that a list of sessions finds its time and author by key, without walking
-- back over events. It is kept with the head of the feed, whose row is written with each message anyway.
ALTER TABLE feeds ADD COLUMN last_chat_sequence bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE feeds f SET last_chat_sequence = m.last_chat_sequence
FROM (SELECT session_id, max(sequence) AS last_chat_sequence FROM messages WHERE type = 'chat' GROUP BY session_id) m
WHERE m.session_id = f.session_id;
--> statement-breakpoint
ALTER TABLE feeds ADD CHECK (last_chat_sequence BETWEEN 0 AND last_sequence);
--> statement-breakpoint
-- As before, and notes the newest message that was said.
CREATE OR REPLACE FUNCTION append_messages(rows json, wait boolean)
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
    UPDATE feeds f SET last_sequence = n.last_sequence, last_posted_at = n.last_posted_at,
                       last_chat_sequence = greatest(f.last_chat_sequence, n.last_chat_sequence)
    FROM (SELECT session_id, max(sequence) AS last_sequence, max(posted_at) AS last_posted_at,
                 max(sequence) FILTER (WHERE type = 'chat') AS last_chat_sequence
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
