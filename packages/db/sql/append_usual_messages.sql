-- Appends a batch in which every row is an ordinary one: all feeds exist, are unlocked, open, not held and
-- without a budget, and all ids are new. Returns one row per feed, in the order of session_ids: the last
-- sequence before the batch, and the posting time. For any other batch it writes nothing: it returns no rows,
-- or fails on a known id. append_messages then decides row by row. Both functions give the same guarantees
-- (FEED-2, FEED-4).
--
-- The steps are those of append_messages: lock the feeds first, then number from what was read under the
-- lock. The unique index checks that ids are new, because a lookup would cost as much as the rest of a row.
-- The caller has already counted, so nothing is grouped, sorted or windowed here.
--
-- session_ids is distinct and ascending. The other arrays per feed are:
--   counts: number of rows
--   last_chats: position of the last chat message among the feed's rows, 0 if there is none
--   agents: number of rows posted by agents
--   agents_at_human: how many of those precede the last chat message from a human, NULL if there is none
-- The remaining arrays have one value per row:
--   feeds: index into session_ids; all NULL for a single feed
--   places: position among the feed's rows
-- A whole array, or a value in it, may be NULL for the default: a chat message by an agent, to everyone, with
-- priority next, that is not a reply.
CREATE OR REPLACE FUNCTION append_usual_messages(
  session_ids uuid[], counts integer[], last_chats integer[], agents integer[], agents_at_human integer[],
  feeds integer[], places integer[],
  ids uuid[], types text[], team_ids uuid[], peer_ids uuid[], author_teams text[], author_peers text[], author_humans boolean[],
  recipients text[], priorities text[], reply_tos bigint[], contents text[], salts text[], reaches text[], answers bigint[],
  kinds text[]
)
RETURNS TABLE (before bigint, posted_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  instant timestamptz;
  befores bigint[];
  instants timestamptz[];
BEGIN
  SELECT array_agg(f.last_sequence ORDER BY f.session_id), array_agg(f.last_posted_at ORDER BY f.session_id)
  INTO befores, instants
  FROM (SELECT f.session_id, f.last_sequence, f.last_posted_at FROM feeds f
        WHERE f.session_id = ANY (session_ids) AND f.closed_at IS NULL AND f.held_at IS NULL AND f.message_budget = 0
        ORDER BY f.session_id FOR NO KEY UPDATE SKIP LOCKED) f;
  IF cardinality(befores) IS DISTINCT FROM cardinality(session_ids) THEN
    RETURN;
  END IF;
  -- The time is taken under the lock, so posting times never go backwards within a feed.
  instant := date_trunc('milliseconds', clock_timestamp());
  FOR each IN 1 .. cardinality(instants) LOOP
    instants[each] := greatest(instant, instants[each]);
  END LOOP;

  UPDATE feeds f SET
    last_sequence = f.last_sequence + t.many,
    last_posted_at = t.posted_at,
    last_chat_sequence = CASE WHEN t.last_chat = 0 THEN f.last_chat_sequence ELSE f.last_sequence + t.last_chat END,
    agent_messages = f.agent_messages + t.agents,
    agent_messages_at_human = coalesce(f.agent_messages + t.agents_at_human, f.agent_messages_at_human)
  FROM unnest(session_ids, counts, last_chats, agents, agents_at_human, instants)
    AS t (session_id, many, last_chat, agents, agents_at_human, posted_at)
  WHERE f.session_id = t.session_id;

  INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team, author_peer,
                        author_human, recipients, priority, reply_to, content, salt, posted_at, reaches, answers, kind)
  SELECT session_ids[coalesce(r.feed, 1)], befores[coalesce(r.feed, 1)] + r.place, r.id, coalesce(r.type, 'chat'),
         r.team_id, r.peer_id, r.author_team, r.author_peer, coalesce(r.author_human, false),
         coalesce(r.recipients::text[], '{*}'), coalesce(r.priority, 'next'), r.reply_to, r.content, decode(r.salt, 'hex'),
         instants[coalesce(r.feed, 1)], r.reaches::uuid[], r.answers, r.kind
  FROM unnest(feeds, places, ids, types, team_ids, peer_ids, author_teams, author_peers, author_humans, recipients,
              priorities, reply_tos, contents, salts, reaches, answers, kinds)
    AS r (feed, place, id, type, team_id, peer_id, author_team, author_peer, author_human, recipients,
          priority, reply_to, content, salt, reaches, answers, kind);

  RETURN QUERY SELECT u.before, u.posted_at FROM unnest(befores, instants) AS u (before, posted_at);
END $$;
