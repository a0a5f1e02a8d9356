-- Appends rows to their feeds and returns an outcome for each row:
--   posted
--   duplicate: the id is taken; returns the first message's sequence and whether the content is the same
--   closed
--   held: a human holds the session, and the row was posted by an agent
--   over_budget: agents have used up the message budget since the last message from a human
--   missing: the feed does not exist
--   busy: another transaction has locked the feed, and wait is false
--
-- The first statement locks the feeds. All callers lock in the same order, so two batches cannot deadlock.
-- The lock is NO KEY because no foreign key refers to a column that changes.
--
-- The second statement takes its snapshot after the locks, so it sees everything committed before. Sequences
-- therefore have no gaps and follow the order of commits. A single statement would number from a snapshot
-- older than its locks.
--
-- The planner settings force the use of indexes: on a fresh database, before the first ANALYZE, the planner
-- would otherwise scan. One plan serves batches of every size, because planning takes longer than appending a
-- message.
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
               OR row_number() OVER (PARTITION BY i.session_id, i.id ORDER BY i.ordinality) > 1 THEN 'duplicate'
             -- An archived feed accepts no further messages: its record ends where its archive objects end.
             WHEN f.closed_at IS NOT NULL AND (f.archived_at IS NOT NULL OR NOT coalesce(i.after_closing, false)) THEN 'closed'
             WHEN f.held_at IS NOT NULL AND i.type = 'chat' AND NOT i.author_human THEN 'held'
             ELSE 'posted'
           END AS verdict
    FROM unnest(given) WITH ORDINALITY AS i
    LEFT JOIN feeds f ON f.session_id = i.session_id
    LEFT JOIN messages m ON m.session_id = i.session_id AND m.id = i.id
  ), counted AS MATERIALIZED (
    SELECT j.*,
           j.agent_messages + count(*) FILTER (WHERE j.of_agent AND j.verdict = 'posted') OVER (
             PARTITION BY j.session_id ORDER BY j.ordinality) AS agents_so_far
    FROM judged j
  ), settled AS MATERIALIZED (
    -- A row over budget is still counted for the rows after it. This changes nothing: until the next message
    -- from a human, those rows are over budget as well.
    SELECT c.*,
           CASE WHEN c.verdict = 'posted' AND c.of_agent AND c.message_budget > 0
                  AND c.agents_so_far - greatest(c.agent_messages_at_human, max(c.agents_so_far) FILTER (
                        WHERE c.author_human AND c.type = 'chat' AND c.verdict = 'posted') OVER so_far) > c.message_budget
             THEN 'over_budget' ELSE c.verdict END AS outcome
    FROM counted c
    WINDOW so_far AS (PARTITION BY c.session_id ORDER BY c.ordinality)
  ), numbered AS MATERIALIZED (
    SELECT j.*,
           CASE WHEN j.outcome = 'posted'
             THEN j.last_sequence + count(*) FILTER (WHERE j.outcome = 'posted') OVER so_far
             ELSE j.known_sequence
           END AS sequence,
           CASE WHEN j.outcome = 'posted' THEN j.fresh_posted_at ELSE j.known_posted_at END AS posted_at,
           j.agent_messages + count(*) FILTER (WHERE j.outcome = 'posted' AND j.of_agent) OVER so_far AS agents
    FROM settled j
    WINDOW so_far AS (PARTITION BY j.session_id ORDER BY j.ordinality)
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
    FROM numbered WHERE outcome = 'posted' ORDER BY ordinality
  )
  -- A duplicate of another row in the same batch has no stored message yet. It gets the outcome of the first
  -- row.
  SELECT n.ordinality::integer,
         CASE WHEN n.outcome = 'duplicate' AND n.known_sequence IS NULL AND first_value(n.outcome) OVER twins <> 'posted'
           THEN first_value(n.outcome) OVER twins ELSE n.outcome END,
         n.content = coalesce(n.known_content, first_value(n.content) OVER twins),
         first_value(n.sequence) OVER twins,
         first_value(n.posted_at) OVER twins
  FROM numbered n
  WINDOW twins AS (PARTITION BY n.session_id, n.id ORDER BY n.ordinality)
  ORDER BY n.ordinality;
END $$;
