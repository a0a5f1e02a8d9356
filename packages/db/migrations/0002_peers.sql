-- Named peers: each is a place of a team for one agent, with a credential of its own that is given where a team's is.
-- The unnamed peer of a team, which its own credential stands for, has neither name nor secret.
ALTER TABLE peers
  DROP CONSTRAINT peers_session_id_team_id_name_key,
  ADD COLUMN secret_hash     bytea CHECK (octet_length(secret_hash) = 32),
  ADD COLUMN role            text,
  -- [{"name", "role"}], names compared without case.
  ADD COLUMN groups          jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN declared_status text CHECK (declared_status IN ('idle', 'working', 'dnd', 'blocked')),
  ADD COLUMN declared_reason text,
  ADD COLUMN declared_at     timestamptz(3),
  ADD COLUMN summary         text,
  ADD COLUMN summary_at      timestamptz(3),
  ADD COLUMN capabilities    jsonb,
  ADD COLUMN cwd             text,
  ADD COLUMN machine         text,
  -- The public part of the ed25519 key of its launch, in base64.
  ADD COLUMN session_key     text,
  ADD COLUMN joined_at       timestamptz(3) NOT NULL DEFAULT now(),
  -- When it last asked for its messages. An unnamed peer that never did is no recipient beside named ones.
  ADD COLUMN last_polled_at  timestamptz(3),
  -- When it left or was retired: its name is free, its record stays.
  ADD COLUMN left_at         timestamptz(3),
  ADD CONSTRAINT peers_named_are_proved CHECK ((secret_hash IS NULL) = (name IS NULL)),
  ADD CONSTRAINT peers_declare_whole CHECK ((declared_status IS NULL) = (declared_at IS NULL)),
  ADD CONSTRAINT peers_summarize_whole CHECK ((summary IS NULL) = (summary_at IS NULL));
--> statement-breakpoint
UPDATE peers p SET joined_at = t.joined_at FROM teams t WHERE t.session_id = p.session_id AND t.team_id = p.team_id;
--> statement-breakpoint
CREATE UNIQUE INDEX peers_unnamed ON peers (session_id, team_id) WHERE name IS NULL;
--> statement-breakpoint
-- A name means one peer among those who are there, whatever their teams.
CREATE UNIQUE INDEX peers_by_name ON peers (session_id, lower(name)) WHERE name IS NOT NULL AND left_at IS NULL;
--> statement-breakpoint
-- As of teams: a credential names its peer and not its session.
CREATE INDEX peers_by_id ON peers (peer_id);
--> statement-breakpoint
-- When a peer's cursor came to a place: a message was delivered when the first of these at or beyond it was written.
CREATE TABLE receipts (
  session_id uuid NOT NULL,
  peer_id    uuid NOT NULL,
  cursor     bigint NOT NULL CHECK (cursor > 0),
  at         timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (session_id, peer_id, cursor)
);
--> statement-breakpoint
CREATE INDEX receipts_by_age ON receipts USING brin (at);
--> statement-breakpoint
-- reaches: the peers that a message is for, as `recipients` was resolved when it was posted; null for everyone.
-- answers: the ask that it settles; the first answer counts.
ALTER TABLE messages
  ADD COLUMN reaches uuid[],
  ADD COLUMN answers bigint CHECK (answers = reply_to);
--> statement-breakpoint
CREATE UNIQUE INDEX messages_settle_once ON messages (session_id, answers) WHERE answers IS NOT NULL;
--> statement-breakpoint
-- A hold and a message budget are judged where messages are numbered, so that no race gets round them. Agents' messages are
-- counted in all, and as they were at the last human word: the difference is what the budget bounds.
ALTER TABLE feeds
  ADD COLUMN held_at                 timestamptz(3),
  ADD COLUMN message_budget          integer NOT NULL DEFAULT 0 CHECK (message_budget >= 0),
  ADD COLUMN agent_messages          bigint NOT NULL DEFAULT 0,
  ADD COLUMN agent_messages_at_human bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE feeds f SET agent_messages = m.agents, agent_messages_at_human = m.at_human
FROM (
  SELECT session_id, max(agents) AS agents, coalesce(max(agents) FILTER (WHERE author_human), 0) AS at_human
  FROM (SELECT session_id, author_human,
               count(*) FILTER (WHERE NOT author_human) OVER (PARTITION BY session_id ORDER BY sequence) AS agents
        FROM messages WHERE type = 'chat') counted
  GROUP BY session_id
) m
WHERE m.session_id = f.session_id;
--> statement-breakpoint
-- Who holds a session, and why; that it is held stands in its feed's row.
ALTER TABLE sessions
  ADD COLUMN held_by     text,
  ADD COLUMN hold_reason text;
--> statement-breakpoint
ALTER TYPE message_row ADD ATTRIBUTE reaches uuid[], ADD ATTRIBUTE answers bigint;
--> statement-breakpoint
-- As before, and judges holds and budgets. A row that a budget refuses is counted against those after it, which changes
-- nothing: what stands behind it, with no human word between, is refused as well.
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
           after_closing, reaches, answers, ordinal
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
           content, salt, reaches, answers, ordinal, last_sequence, known_sequence, known_posted_at, known_content,
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
                          author_human, recipients, priority, reply_to, content, salt, posted_at, reaches, answers)
    SELECT session_id, sequence, id, type, team_id, peer_id, author_team, author_peer,
           author_human, recipients, priority, reply_to, content, decode(salt, 'hex'), posted_at, reaches, answers
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
