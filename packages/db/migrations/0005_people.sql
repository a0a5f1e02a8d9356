-- What people are shown: colours of teams, kinds of messages, why a title changed, and what each person has put away.

-- The order in which teams joined, kept so that a team has one colour for ever.
ALTER TABLE teams ADD COLUMN colour integer NOT NULL DEFAULT 0 CHECK (colour >= 0);
--> statement-breakpoint
UPDATE teams t SET colour = ranked.place
FROM (SELECT session_id, team_id, row_number() OVER (PARTITION BY session_id ORDER BY joined_at, team_id) - 1 AS place
      FROM teams) ranked
WHERE ranked.session_id = t.session_id AND ranked.team_id = t.team_id;
--> statement-breakpoint
-- `ask`, `decision`, or an event's name; null for plain chat, which is most of a feed and so is not in the index.
ALTER TABLE messages ADD COLUMN kind text;
--> statement-breakpoint
-- What a message says stays as it was; only the new column is filled.
ALTER TABLE messages DISABLE TRIGGER messages_are_append_only;
--> statement-breakpoint
UPDATE messages SET kind = content::jsonb ->> CASE type WHEN 'system' THEN 'event' ELSE 'kind' END
WHERE type = 'system' OR content LIKE '%"kind"%';
--> statement-breakpoint
ALTER TABLE messages ENABLE TRIGGER messages_are_append_only;
--> statement-breakpoint
CREATE INDEX messages_by_kind ON messages (session_id, kind, sequence) WHERE kind IS NOT NULL;
--> statement-breakpoint
ALTER TABLE sessions
  ADD COLUMN metadata_changed_by    text,
  ADD COLUMN metadata_change_reason text;
--> statement-breakpoint
UPDATE sessions s SET metadata_changed_by = m.content::jsonb ->> 'by', metadata_change_reason = m.content::jsonb ->> 'reason'
FROM (SELECT DISTINCT ON (session_id) session_id, content FROM messages
      WHERE kind = 'session_metadata_updated' ORDER BY session_id, sequence DESC) m
WHERE m.session_id = s.session_id;
--> statement-breakpoint
-- Who waits for help, in the few sessions where anybody does, without reading every roster.
CREATE INDEX peers_blocked ON peers (session_id) WHERE declared_status = 'blocked';
--> statement-breakpoint
-- What a person has put away of what waits for humans: until a time, or for good when `until` is null.
CREATE TABLE dismissals (
  mesh_id   uuid NOT NULL,
  person_id uuid NOT NULL,
  item      text NOT NULL,
  until     timestamptz(3),
  at        timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (mesh_id, person_id, item),
  FOREIGN KEY (mesh_id, person_id) REFERENCES persons (mesh_id, person_id)
);
--> statement-breakpoint
ALTER TYPE message_row ADD ATTRIBUTE kind text;
--> statement-breakpoint
-- As before, and keeps each message's kind.
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
           f.message_budget,
           f.agent_messages,
           f.agent_messages_at_human,
           m.sequence AS known_sequence,
           m.posted_at AS known_posted_at,
           m.content AS known_content,
           greatest(instant, f.last_posted_at) AS fresh_posted_at,
           i.type = 'chat' AND NOT i.author_human AS of_agent,
           CASE
             WHEN f.session_id IS NULL THEN 'missing'
             WHEN cardinality(locked) < cardinality(wanted) AND NOT f.session_id = ANY (locked) THEN 'busy'
             WHEN m.sequence IS NOT NULL
               OR row_number() OVER (PARTITION BY i.session_id, i.id ORDER BY i.ordinal) > 1 THEN 'duplicate'
             WHEN f.closed_at IS NOT NULL AND NOT coalesce(i.after_closing, false) THEN 'closed'
             WHEN f.held_at IS NOT NULL AND i.type = 'chat' AND NOT i.author_human THEN 'held'
             ELSE 'posted'
           END AS outcome
    FROM unnest(given) WITH ORDINALITY AS i (
           session_id, id, type, team_id, peer_id, author_team, author_peer,
           author_human, recipients, priority, reply_to, content, salt,
           after_closing, reaches, answers, kind, ordinal
         )
    LEFT JOIN feeds f ON f.session_id = i.session_id
    LEFT JOIN messages m ON m.session_id = i.session_id AND m.id = i.id
  ), counted AS MATERIALIZED (
    SELECT j.*,
           j.agent_messages + count(*) FILTER (WHERE j.of_agent AND j.outcome = 'posted') OVER (
             PARTITION BY j.session_id ORDER BY j.ordinal) AS agents
    FROM judged j
  ), settled AS MATERIALIZED (
    SELECT session_id, id, type, team_id, peer_id, author_team, author_peer, author_human, recipients, priority, reply_to,
           content, salt, reaches, answers, kind, ordinal, last_sequence, known_sequence, known_posted_at, known_content,
           fresh_posted_at, agent_messages, of_agent,
           CASE WHEN outcome = 'posted' AND of_agent AND message_budget > 0
                  AND agents - greatest(agent_messages_at_human, max(agents) FILTER (
                        WHERE author_human AND type = 'chat' AND outcome = 'posted') OVER so_far) > message_budget
             THEN 'over_budget' ELSE outcome END AS outcome
    FROM counted
    WINDOW so_far AS (PARTITION BY session_id ORDER BY ordinal)
  ), numbered AS MATERIALIZED (
    SELECT j.*,
           CASE WHEN j.outcome = 'posted'
             THEN j.last_sequence + count(*) FILTER (WHERE j.outcome = 'posted') OVER so_far
             ELSE j.known_sequence
           END AS sequence,
           CASE WHEN j.outcome = 'posted' THEN j.fresh_posted_at ELSE j.known_posted_at END AS posted_at,
           j.agent_messages + count(*) FILTER (WHERE j.outcome = 'posted' AND j.of_agent) OVER so_far AS agents
    FROM settled j
    WINDOW so_far AS (PARTITION BY j.session_id ORDER BY j.ordinal)
  ), bumped AS (
    UPDATE feeds f SET last_sequence = n.last_sequence, last_posted_at = n.last_posted_at,
                       last_chat_sequence = greatest(f.last_chat_sequence, n.last_chat_sequence),
                       agent_messages = n.agents,
                       agent_messages_at_human = greatest(f.agent_messages_at_human, n.agents_at_human)
    FROM (SELECT session_id, max(sequence) AS last_sequence, max(posted_at) AS last_posted_at,
                 max(sequence) FILTER (WHERE type = 'chat') AS last_chat_sequence,
                 max(agents) AS agents,
                 max(agents) FILTER (WHERE type = 'chat' AND author_human) AS agents_at_human
          FROM numbered WHERE outcome = 'posted' GROUP BY session_id) n
    WHERE f.session_id = n.session_id
  ), inserted AS (
    INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team, author_peer,
                          author_human, recipients, priority, reply_to, content, salt, posted_at, reaches, answers, kind)
    SELECT session_id, sequence, id, type, team_id, peer_id, author_team, author_peer,
           author_human, recipients, priority, reply_to, content, decode(salt, 'hex'), posted_at, reaches, answers, kind
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
